import { Trans } from '@lingui/react/macro';
import { Component, type ReactNode } from 'react';
import { announceReady } from '../lib/app-ready.ts';
import { retryFailedParts } from '../lib/lazy-part.tsx';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';

/** Catches a page whose chunk failed to load (offline, new release) or that threw while rendering. */
interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** Resets the boundary when it changes; usually the path. */
  readonly resetBy?: string;
}

interface ErrorBoundaryState {
  readonly hasFailed: boolean;
  readonly resetBy: string | undefined;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { hasFailed: false, resetBy: this.props.resetBy };

  static getDerivedStateFromProps({ resetBy }: ErrorBoundaryProps, state: ErrorBoundaryState) {
    return resetBy === state.resetBy ? null : { hasFailed: false, resetBy };
  }

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidCatch() {
    announceReady();
    // For the next page, and for this one on the way back.
    retryFailedParts();
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <div role="alert">
        <EmptyState
          title={<Trans>This page didn't load.</Trans>}
          action={
            <Button onClick={() => window.location.reload()}>
              <Trans>Try again</Trans>
            </Button>
          }
        >
          <Trans>Your connection may have dropped. Please try again.</Trans>
        </EmptyState>
      </div>
    );
  }
}
