import { listAudit } from '@unsaid/contract/moderation/console';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { call } from '../api.ts';
import { failureWords } from '../lib/failure-words.ts';
import { exactTime } from '../lib/time-words.ts';
import { useMe } from '../session.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import ui from '../ui/ui.module.css';
import styles from './audit.module.css';

const isCaseId = (text: string): boolean => /^[1-9][0-9]{0,17}$/u.test(text);

const detailWords = (detail: Readonly<Record<string, unknown>>): string =>
  Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');

export function AuditScreen() {
  const me = useMe();
  const [search, setSearch] = useSearchParams();
  const caseId = isCaseId(search.get('case') ?? '') ? (search.get('case') ?? '') : '';
  const [typed, setTyped] = useState(caseId);
  const [problem, setProblem] = useState<string>();
  const log = useInfiniteQuery({
    queryKey: ['audit', caseId],
    queryFn: ({ pageParam }) =>
      call(listAudit, {
        query: { ...(caseId && { caseId }), ...(pageParam !== null && { before: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page.hasMore ? (page.entries.at(-1)?.seq ?? null) : null),
  });
  const entries = log.data?.pages.flatMap((page) => page.entries) ?? [];
  const brokenAt = log.data?.pages[0]?.brokenAt;

  function filter(): void {
    const wanted = typed.trim().replace(/^#/u, '');
    const isGood = wanted === '' || isCaseId(wanted);
    setProblem(isGood ? undefined : 'A case has a number.');
    if (isGood) setSearch(wanted ? { case: wanted } : {});
  }

  return (
    <>
      <PageTitle title="Audit log" />
      {log.isError && (
        <Banner tone="alarm" isAlert action={<Button onClick={() => void log.refetch()}>Try again</Button>}>
          {failureWords(log.error)}
        </Banner>
      )}
      {log.data &&
        (brokenAt ? (
          <Banner tone="alarm" isAlert>
            The chain is broken at {brokenAt}: this entry was changed, or one before it is missing. Tell the
            operator now.
          </Banner>
        ) : (
          <Banner tone="good">The chain is whole: no entry was changed or taken out.</Banner>
        ))}
      <form
        className={styles.filter}
        onSubmit={(event) => {
          event.preventDefault();
          filter();
        }}
      >
        <TextField
          label="Only this case"
          inputMode="numeric"
          problem={problem}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button isSubmit>Show</Button>
      </form>
      {log.data && (
        // Wider than a narrow screen: it scrolls, so the keyboard has to reach it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div className={ui.tableFrame} tabIndex={0} role="region" aria-label="Entries">
          <table className={`${ui.table} ${styles.entries}`}>
            <thead>
              <tr>
                <th scope="col" className={ui.number}>
                  No.
                </th>
                <th scope="col">Time</th>
                <th scope="col">Who</th>
                <th scope="col">What</th>
                <th scope="col">Case</th>
                <th scope="col">Details</th>
                <th scope="col">Hash</th>
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <tr key={entry.seq}>
                  <td className={ui.number}>{entry.seq}</td>
                  <td className={styles.unbroken}>{exactTime(entry.at)}</td>
                  <td>{entry.actor}</td>
                  <td className={styles.unbroken}>{entry.action.replaceAll('_', ' ')}</td>
                  <td>
                    {entry.caseId === null || me.role === 'auditor' ? (
                      entry.caseId
                    ) : (
                      <Link to={`/cases/${entry.caseId}`}>{entry.caseId}</Link>
                    )}
                  </td>
                  <td>{detailWords(entry.detail)}</td>
                  <td className={styles.hash} title={entry.hash}>
                    {entry.hash.slice(0, 12)}
                  </td>
                </tr>
              ))}
              {entries.length === 0 && (
                <tr>
                  <td colSpan={7}>Nothing is written here yet.</td>
                </tr>
              )}
            </tbody>
          </table>
        </div>
      )}
      {log.hasNextPage && (
        <div className={`${ui.row} ${ui.end}`}>
          <Button isBusy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
            Older entries
          </Button>
        </div>
      )}
    </>
  );
}
