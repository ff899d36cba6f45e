// A text on its way to the check page, for what no address can hold. It stays in this tab.

const name = 'veridice.pasted';

/**
 * Takes a text along.
 * @param {string} text
 * @returns {boolean} false if storage is refused or the text is too large: it has to be pasted
 */
export function carry(text) {
  try {
    sessionStorage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}

/** What came along, once. @returns {string | null} */
export function carried() {
  try {
    const text = sessionStorage.getItem(name);
    sessionStorage.removeItem(name);
    return text;
  } catch {
    return null;
  }
}
