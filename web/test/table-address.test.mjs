import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readAddress, soloAddress, tableAddress } from '../app/table-address.mjs';

const M = '0123456789abcdef0123456789abcdef';
const K = 'qL3_zT-8mN5vXw2yBc7dRg';

test('an address is read as it was written', () => {
  for (const token of [K, null]) {
    const address = tableAddress('http://192.168.1.5:8080', 'el', M, token);
    assert.equal(address, `http://192.168.1.5:8080/el/table/#m=${M}${token ? `&k=${K}` : ''}`);
    assert.deepEqual(readAddress(new URL(address).hash), { match: M, token });
  }
});

test('what chat programs do without losing anything is undone', () => {
  for (const text of [`m=${M}&k=${K}`, `#m%3D${M}%26k%3D${K}`, `#m=${M}&amp;k=${K}`, `#m=${M}&k=${K}).`, `#m=${M}&k=${K}”`,
    `#k=${K}&m=${M}`, `#m=${M}&k=${K}&fbclid=x`]) {
    assert.deepEqual(readAddress(text), { match: M, token: K }, text);
  }
});

test('half an address is no address: above all it does not watch', () => {
  for (const text of [`#m=${M.slice(1)}&k=${K}`, `#m=${M}&k=${K.slice(0, 21)}`, `#m=${M}&k=`, `#m=${M}&k`, `#m=${M}&m=${M}`,
    `#k=${K}`, `#m=${M.toUpperCase()}`, '#%zz', `#m=${M}&k=${K.slice(1)}\u200b`, '#table']) {
    assert.deepEqual(readAddress(text), { fault: 'cut' }, text);
  }
  for (const text of ['', '#', '# ']) assert.deepEqual(readAddress(text), { fault: 'none' });
});

test('play alone is no match', () => {
  for (const solo of [{ dice: '2d6', turn: 'alternate', seats: 2 }, { dice: '3d6+1d20', turn: 'free', seats: 8 }, { dice: 'deck52', turn: 'free', seats: 1 }]) {
    const address = new URL(soloAddress('de', solo), 'http://localhost');
    assert.equal(address.pathname, '/de/table/');
    assert.deepEqual(readAddress(address.hash), { solo });
  }
  assert.deepEqual(readAddress('#solo=any'), { solo: { dice: 'any', turn: 'alternate', seats: 1 } });
  for (const text of ['#solo=', '#solo=d6', '#solo=2d6&seats=9', '#solo=2d6&seats=0', '#solo=2d6&seats=1.5', '#solo=2d6&seats=x', '#solo=2d6&turn=mine', '#solo=2d6&solo=any']) {
    assert.deepEqual(readAddress(text), { fault: 'cut' }, text);
  }
});
