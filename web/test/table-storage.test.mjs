import { test } from 'node:test';
import assert from 'node:assert/strict';
import { openStorage } from '../app/table-storage.mjs';
import { fakeStorage } from './table-fakes.mjs';

test('notes, requests and tokens are there after a reload', () => {
  const local = fakeStorage();
  const before = openStorage(() => local);
  before.writeNote('m1', { seal: 'aa' });
  before.writeNote('m2', { seal: 'bb' });
  before.writeSlot('m1', 't1', 'roll 1', { key: 'k', action: 'roll', body: { after: 0 } });
  before.writeSlot('m1', 't2', 'roll 1', { key: 'l', action: 'roll', body: { after: 0 } });
  local.setItem('veridice.created.m1', '{"seats":[]}');

  const after = openStorage(() => local);
  assert.equal(after.kept, true);
  assert.deepEqual(JSON.parse(local.getItem('veridice.matches')), { m1: { seal: 'aa' }, m2: { seal: 'bb' } });
  assert.deepEqual(after.readNote('m2'), { seal: 'bb' });
  assert.equal(after.readNote('m3'), null);
  assert.deepEqual(after.readSlots('m1', 't1'), { 'roll 1': { key: 'k', action: 'roll', body: { after: 0 } } });
  assert.deepEqual(after.readCreated('m1'), { seats: [] });
  after.clearSlot('m1', 't1', 'roll 1');
  assert.deepEqual(after.readSlots('m1', 't1'), {});
  assert.equal(after.readSlots('m1', 't2')['roll 1'].key, 'l', 'the other seat in this browser keeps its own');
  after.clearSlot('m1', 't2', 'roll 1');
  assert.equal(local.getItem('veridice.pending.m1'), null, 'nothing is left behind');
});

test('a browser that refuses storage is said to, and the page works on', () => {
  const refusals = [
    () => { throw new DOMException('denied', 'SecurityError'); },
    () => null,
    () => fakeStorage({ full: true }),
  ];
  for (const open of refusals) {
    const storage = openStorage(open);
    assert.equal(storage.kept, false);
    storage.writeNote('m', { seal: 'aa' });
    storage.writeSlot('m', 't', 'roll 1', { key: 'k', action: 'roll', body: {} });
    assert.deepEqual(storage.readNote('m'), { seal: 'aa' });
    assert.equal(storage.readSlots('m', 't')['roll 1'].key, 'k');
    storage.clearSlot('m', 't', 'roll 1');
    assert.deepEqual(storage.readSlots('m', 't'), {});
  }
});

test('storage that fills up in mid-match: what is new is in memory, and it is said', () => {
  const local = fakeStorage();
  const storage = openStorage(() => local);
  storage.writeNote('m', { rolls: 1 });
  local.full = true;
  storage.writeNote('m', { rolls: 2 });
  assert.equal(storage.kept, false);
  assert.deepEqual(storage.readNote('m'), { rolls: 2 });
});

test('foreign text under our names is nothing', () => {
  for (const text of ['{', '[1]', 'null', '7', '""']) {
    const local = fakeStorage();
    local.setItem('veridice.matches', text);
    const storage = openStorage(() => local);
    assert.equal(storage.readNote('m'), null, text);
    storage.writeNote('m', { seal: 'aa' });
    assert.deepEqual(storage.readNote('m'), { seal: 'aa' });
  }
});
