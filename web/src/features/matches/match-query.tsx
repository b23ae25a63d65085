import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { failureText } from '../../lib/error-text.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { MatchListSkeleton } from './match-card.tsx';

interface MatchQueryProps<T> {
  readonly query: UseQueryResult<T>;
  /** What to say when the query fails. */
  readonly failure: string;
  /** Skeleton cards with a body, as suggestions have. */
  readonly hasTallCards?: boolean;
  readonly children: (data: T) => ReactNode;
}

/** The states of a tab: an error, a skeleton, or its lists. Cached lists stay below an error. */
export function MatchQuery<T>({ query, failure, hasTallCards, children }: MatchQueryProps<T>) {
  const { data, error, isFetching, refetch } = query;
  return (
    <>
      {error && (
        <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
          {failureText(error, failure)}
        </ErrorCard>
      )}
      {data ? children(data) : !error && <MatchListSkeleton isTall={hasTallCards ?? false} />}
    </>
  );
}

interface NoMatchesProps {
  readonly title: ReactNode;
  readonly to: string;
  readonly action: ReactNode;
  readonly children: ReactNode;
}

/** An empty list with one link. */
export function NoMatches({ title, to, action, children }: NoMatchesProps) {
  return (
    <EmptyState
      title={title}
      action={
        <ButtonLink to={to} variant="outlined">
          {action}
        </ButtonLink>
      }
    >
      {children}
    </EmptyState>
  );
}
