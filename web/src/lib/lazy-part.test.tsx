import { render, screen } from '@testing-library/react';
import { Component, Suspense, type ReactNode } from 'react';
import { expect, test, vi } from 'vitest';
import { Toaster } from '../ui/toast.tsx';
import { lazyPart, retryFailedParts } from './lazy-part.tsx';

class Boundary extends Component<{ readonly children: ReactNode }, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidCatch() {
    retryFailedParts();
  }

  override render() {
    return this.state.hasFailed ? 'It failed.' : this.props.children;
  }
}

function makePart(options?: { readonly isOptional: boolean }) {
  let isDown = true;
  const load = vi.fn(() =>
    isDown
      ? Promise.reject(new Error('no connection'))
      : Promise.resolve({ Part: ({ words }: { words: string }) => words }),
  );
  return { Part: lazyPart(load).as('Part', options), load, connect: () => (isDown = false) };
}

test('a part that failed to load is loaded again when it is shown again', async () => {
  // React reports what a boundary catches.
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const { Part, load, connect } = makePart();
  const page = (
    <Boundary>
      <Suspense>
        <Part words="Here it is." />
      </Suspense>
    </Boundary>
  );
  const { unmount } = render(page);
  expect(await screen.findByText('It failed.')).toBeTruthy();
  expect(load).toHaveBeenCalledTimes(1);
  unmount();
  connect();
  render(page);
  expect(await screen.findByText('Here it is.')).toBeTruthy();
});

test('a part that the page works without comes once there is a connection', async () => {
  const { Part, load, connect } = makePart({ isOptional: true });
  render(
    <Suspense fallback="Loading">
      <Part words="Here it is." />
      The page.
    </Suspense>,
  );
  expect(await screen.findByText('The page.')).toBeTruthy();
  expect(load).toHaveBeenCalledTimes(1);
  connect();
  window.dispatchEvent(new Event('online'));
  expect(await screen.findByText(/Here it is\./u)).toBeTruthy();
});

test('a press shows a part once it is loaded; a failure is said, and the next press tries again', async () => {
  let isDown = true;
  const part = lazyPart(() =>
    isDown ? Promise.reject(new Error('no connection')) : Promise.resolve({ it: 1 }),
  );
  const open = vi.fn();
  render(<Toaster />);
  part.show(open);
  expect(await screen.findByText("That didn't work. Try again.")).toBeTruthy();
  expect(open).not.toHaveBeenCalled();
  isDown = false;
  part.show(open);
  await expect.poll(() => open.mock.calls).toEqual([[{ it: 1 }]]);
  // From now on in the same task: the dialog is in the frame that answers the press.
  part.show(open);
  expect(open).toHaveBeenCalledTimes(2);
});

test('a part that is loaded is rendered without a frame of the fallback', async () => {
  const part = lazyPart(() => Promise.resolve({ Words: () => 'Here it is.' }));
  const Words = part.as('Words');
  await part.load();
  render(
    <Suspense fallback="Loading">
      <Words />
    </Suspense>,
  );
  expect(screen.getByText('Here it is.')).toBeTruthy();
});

test('a part brings the parts that it shows', async () => {
  const other = lazyPart(() => Promise.resolve('other'));
  const part = lazyPart(() => Promise.resolve('part'), { also: [other] });
  await part.load();
  expect(other.get()).toBe('other');
});
