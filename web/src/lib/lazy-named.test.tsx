import { render, screen } from '@testing-library/react';
import { Component, Suspense, type ReactNode } from 'react';
import { expect, test, vi } from 'vitest';
import { lazyNamed, retryFailedParts } from './lazy-named.tsx';

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
  return { Part: lazyNamed(load, 'Part', options), load, connect: () => (isDown = false) };
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
