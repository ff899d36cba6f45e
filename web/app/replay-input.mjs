// The box in which a match is pasted, and the file that is chosen or dropped.
import { byId } from './dom.mjs';
import { understood, sentence } from './check-words.mjs';
import { say } from './words.mjs';
import { verify } from '../verifier/veridice.mjs';

const mostFile = 17 * 1024 * 1024; // a byte more than a record may have is for the engine to refuse

/** @param {(text: string) => void} take */
export function openInput(take) {
  byId('pasted').addEventListener('input', () => {
    const text = byId('pasted').value;
    byId('understood').textContent = text.trim() === '' ? '' : understood(verify(text));
  });
  byId('paste').addEventListener('submit', (/** @type {Event} */ event) => {
    event.preventDefault();
    if (byId('pasted').value.trim() !== '') take(byId('pasted').value);
  });
  byId('file').addEventListener('change', () => {
    const [file] = byId('file').files;
    if (file) takeFile(file);
    byId('file').value = ''; // the same file again is a change too
  });
  addEventListener('dragover', (event) => {
    event.preventDefault();
    byId('input').classList.add('dropping');
  });
  addEventListener('dragleave', () => byId('input').classList.remove('dropping'));
  addEventListener('drop', (event) => {
    event.preventDefault();
    byId('input').classList.remove('dropping');
    const file = event.dataTransfer?.files[0];
    const text = event.dataTransfer?.getData('text/plain');
    if (file) takeFile(file);
    else if (text) take(text);
  });

  /** @param {File} file */
  async function takeFile(file) {
    if (file.size > mostFile) byId('understood').textContent = sentence(say('verify.too-long.hint'));
    else take(new TextDecoder('utf-8', { ignoreBOM: true }).decode(await file.arrayBuffer()));
  }
}
