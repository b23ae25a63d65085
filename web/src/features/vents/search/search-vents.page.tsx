import { Trans, useLingui } from '@lingui/react/macro';
import { useId, useState } from 'react';
import { failureText } from '../../../lib/error-text.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorCard } from '../../../ui/error-card.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { useIsDistress } from '../crisis/crisis-guard.ts';
import { EmptyList } from '../feed/empty-list.tsx';
import { useListParams, type ListParams } from '../list-params.ts';
import { VentList, VentListSkeleton } from '../vent-list.tsx';
import { useSearch } from './search.api.ts';
import { FeelingFilter, NothingFelt } from './feeling-filter.tsx';
import { SearchBox } from './search-box.tsx';
import styles from '../detail/vent-layout.module.css';

export function SearchVentsPage() {
  const { t } = useLingui();
  const { params, go } = useListParams();
  const { query, feelings } = params;
  const [isBlank, setIsBlank] = useState(false);
  return (
    <div className={styles.inner}>
      <PageHeading>{t`Search Vents`}</PageHeading>
      <SearchBox
        label={t`Search vents`}
        query={query}
        error={isBlank ? t`Please enter a search query.` : undefined}
        onSearch={(next) => {
          setIsBlank(next === '');
          if (next !== '' && next !== query) go({ query: next });
        }}
      />
      <FeelingFilter />
      {query === '' && feelings.length === 0 ? (
        <Starts onSearch={(next) => go({ query: next })} />
      ) : (
        <Found query={query} feelings={feelings} />
      )}
    </div>
  );
}

/** Words to begin with. Always the same: they tell nothing about the reader or about what was posted. */
function Starts({ onSearch }: { readonly onSearch: (query: string) => void }) {
  const id = useId();
  const { t } = useLingui();
  const words = [t`exams`, t`family`, t`work`, t`lonely`, t`sleep`, t`love`];
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className={styles.startsTitle}>{t`Not sure where to start?`}</h2>
      <div className={styles.starts}>
        {words.map((word) => (
          <Button key={word} variant="outlined" onClick={() => onSearch(word)}>
            {word}
          </Button>
        ))}
      </div>
    </section>
  );
}

function Found(search: Pick<ListParams, 'query' | 'feelings'>) {
  const { t } = useLingui();
  const { data, error, isFetching, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useSearch(search);
  const vents = data?.pages.flatMap((page) => page.vents) ?? [];
  const isDistress = useIsDistress(search.query);
  if (!data) {
    return error ? (
      <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
        {failureText(error, t`Search failed`)}
      </ErrorCard>
    ) : (
      <VentListSkeleton />
    );
  }
  if (vents.length === 0 && search.feelings.length > 0) return <NothingFelt />;
  // The card above answers. It is no moment to ask for words.
  if (vents.length === 0 && isDistress) return <EmptyState title={<Trans>No vents available.</Trans>} />;
  if (vents.length === 0) {
    return (
      <EmptyList>
        <Trans>Nothing with these words yet. Try another word, or write it yourself.</Trans>
      </EmptyList>
    );
  }
  return (
    <>
      <VentList
        vents={vents}
        bySound={data.pages.flatMap((page) => page.bySound ?? [])}
        query={search.query}
        hasFullDate
      />
      {error && <ErrorCard>{failureText(error, t`Search failed`)}</ErrorCard>}
      {hasNextPage && (
        <Button variant="outlined" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          <Trans>More results</Trans>
        </Button>
      )}
    </>
  );
}
