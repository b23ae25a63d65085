import { beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers();
});

/** The module of a page that has just been opened, and what it has told so far. */
async function open() {
  const app = await import('./app-ready.ts');
  const told: string[] = [];
  void app.contentShown().then(() => told.push('content'));
  void app.afterFirstContent().then(() => told.push('late'));
  return { ...app, told };
}

test('what can wait starts once the page is rendered and the last skeleton is gone', async () => {
  const { announceReady, holdContent, told } = await open();
  const [releasePage, releaseList] = [holdContent(), holdContent()];
  announceReady();
  releasePage();
  await vi.advanceTimersByTimeAsync(1000);
  expect(told).toEqual([]);
  releaseList();
  await vi.advanceTimersByTimeAsync(1000);
  expect(told).toEqual(['content', 'late']);
});

test('a skeleton that another one replaces does not count as content', async () => {
  const { announceReady, holdContent, told } = await open();
  const releasePage = holdContent();
  announceReady();
  releasePage();
  // The page of the skeleton has one of its own, in the same frame.
  const releaseList = holdContent();
  await vi.advanceTimersByTimeAsync(1000);
  expect(told).toEqual([]);
  releaseList();
  await vi.advanceTimersByTimeAsync(1000);
  expect(told).toEqual(['content', 'late']);
});

test('without any content it starts after five seconds', async () => {
  const { holdContent, told } = await open();
  holdContent();
  await vi.advanceTimersByTimeAsync(4900);
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(2200);
  expect(told).toEqual(['late']);
});
