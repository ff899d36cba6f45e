import { test } from 'node:test';
import assert from 'node:assert/strict';
import { openStream } from '../app/table-stream.mjs';
import { applyEvent, nothingYet } from '../app/table-state.mjs';
import { FakePage, fakeEventSource, fakeTimers } from './table-fakes.mjs';

function opened(page = new FakePage()) {
  const { EventSource, opened: sources } = fakeEventSource();
  const timers = fakeTimers();
  const window = new EventTarget();
  const connected = [];
  let state = nothingYet('m');
  const stream = openStream({
    address: (after) => `/events?after=${after}`,
    last: () => state.last,
    onEvent: (event) => {
      const { state: next, gap } = applyEvent(state, event);
      state = next;
      return gap;
    },
    onConnected: (yes) => connected.push(yes),
    EventSource, document: page, window, random: () => 0, ...timers,
  });
  return { stream, sources, timers, window, page, connected, get last() { return state.last; } };
}

const event = (n) => ({ event: n, type: 'other' });

test('events arrive and a new stream goes on from the last', () => {
  const t = opened();
  assert.equal(t.sources[0].url, '/events?after=0');
  t.sources[0].connect();
  t.sources[0].send(event(1));
  t.sources[0].send(event(2));
  t.sources[0].fail(2); // CLOSED: a 502 ends an EventSource for good
  assert.deepEqual(t.connected, [true, false]);
  t.timers.tick();
  assert.equal(t.sources[1].url, '/events?after=2');
});

test('a browser that reconnects by itself is left alone', () => {
  const t = opened();
  t.sources[0].connect();
  t.sources[0].fail(0); // CONNECTING
  assert.equal(t.timers.waiting, 0);
  t.sources[0].connect();
  t.sources[0].send(event(1));
  assert.equal(t.sources.length, 1);
  assert.deepEqual(t.connected, [true, false, true]);
});

test('a loss is told once, and again after it was made good', () => {
  const t = opened();
  t.sources[0].connect();
  for (let i = 0; i < 5; i++) t.sources[0].fail(0); // refused each second, as the server's own pause has it
  t.window.dispatchEvent(new Event('offline'));
  assert.deepEqual(t.connected, [true, false]);
  t.window.dispatchEvent(new Event('online'));
  t.sources[1].fail(2);
  assert.deepEqual(t.connected, [true, false]);
  t.timers.tick();
  t.sources[2].connect();
  t.sources[2].fail(0);
  assert.deepEqual(t.connected, [true, false, true, false]);
});

test('pauses grow while it fails, end, and start anew after an event', () => {
  const t = opened();
  const pauses = [];
  for (let i = 0; i < 10; i++) {
    t.sources.at(-1).fail(2);
    pauses.push(t.timers.tick());
  }
  for (let i = 1; i < 6; i++) assert.ok(pauses[i] > pauses[i - 1], `pause ${i}`);
  assert.equal(pauses.at(-1), 15_000);
  t.sources.at(-1).connect();
  t.sources.at(-1).send(event(1));
  t.sources.at(-1).fail(2);
  assert.equal(t.timers.tick(), pauses[0]);
});

test('a gap: the events from the last one seen are asked for, and not without a pause', () => {
  const t = opened();
  t.sources[0].connect();
  t.sources[0].send(event(1));
  t.sources[0].send(event(3));
  assert.equal(t.last, 1);
  assert.equal(t.sources[0].readyState, 2, 'nothing more is read from a stream with a gap');
  const first = t.timers.tick();
  assert.equal(t.sources[1].url, '/events?after=1');
  t.sources[1].send(event(3));
  assert.ok(t.timers.tick() > first, 'a server that lost an event is not asked in a tight loop');
  t.sources[2].send(event(2));
  t.sources[2].send(event(3));
  assert.equal(t.last, 3);
});

test('what an abandoned stream still delivers does not count', () => {
  const t = opened();
  t.sources[0].connect();
  t.window.dispatchEvent(new Event('online'));
  assert.equal(t.sources.length, 2);
  t.sources[0].send(event(1));
  t.sources[0].fail(2);
  assert.equal(t.last, 0);
  assert.equal(t.timers.waiting, 0);
});

test('a hidden tab gives its connection back and takes it up when shown', () => {
  const t = opened();
  t.sources[0].connect();
  t.sources[0].send(event(1));
  t.page.show(false);
  assert.equal(t.sources[0].readyState, 2);
  t.window.dispatchEvent(new Event('online'));
  assert.equal(t.sources.length, 1, 'not while hidden');
  t.page.show(true);
  assert.equal(t.sources[1].url, '/events?after=1');

  const page = new FakePage();
  page.visibilityState = 'hidden';
  const background = opened(page);
  assert.equal(background.sources.length, 0);
  page.show(true);
  assert.equal(background.sources.length, 1);
});

test('back from the page cache and back online: a new stream; offline: said at once', () => {
  const t = opened();
  t.sources[0].connect();
  t.window.dispatchEvent(new Event('offline'));
  assert.deepEqual(t.connected, [true, false]);
  assert.equal(t.sources[0].readyState, 2);
  t.window.dispatchEvent(new Event('online'));
  assert.equal(t.sources.length, 2);
  t.window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: false }));
  assert.equal(t.sources.length, 2);
  t.window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  assert.equal(t.sources.length, 3);
});

test('a closed stream stays closed', () => {
  const t = opened();
  t.stream.close();
  for (const type of ['online', 'pageshow']) t.window.dispatchEvent(Object.assign(new Event(type), { persisted: true }));
  t.page.show(true);
  assert.equal(t.sources.length, 1);
  assert.equal(t.timers.waiting, 0);
});
