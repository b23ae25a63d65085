import { caseFilters, type CaseLine } from '@unsaid/contract/moderation/console';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { casesQuery, useNextCase, type CaseFilter } from '../cases.api.ts';
import { failureWords } from '../lib/failure-words.ts';
import { useShortcuts } from '../lib/shortcuts.ts';
import { dueWords, exactTime, localTime } from '../lib/time-words.ts';
import { useNow } from '../lib/use-now.ts';
import {
  counted,
  kindWords,
  leaseWords,
  reasonWords,
  ruleWords,
  sourceWords,
  stateWords,
} from '../lib/words.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { SeverityTag } from '../ui/severity-tag.tsx';
import { Tag } from '../ui/tag.tsx';
import ui from '../ui/ui.module.css';
import styles from './cases.module.css';

const filterWords: Readonly<Record<CaseFilter, string>> = {
  waiting: 'Waiting',
  mine: 'Mine',
  appeals: 'Appeals',
  orders: 'Orders',
  closed: 'Closed',
};

const nothingWords: Readonly<Record<CaseFilter, string>> = {
  waiting: 'Nothing is waiting. Well done, all of you.',
  mine: 'You hold no case.',
  appeals: 'No appeal is waiting.',
  orders: 'No legal order is waiting.',
  closed: 'No case is closed yet.',
};

const isFilter = (text: string | null): text is CaseFilter => caseFilters.some((filter) => filter === text);

export function CasesScreen() {
  const [search, setSearch] = useSearchParams();
  const asked = search.get('show');
  const show = isFilter(asked) ? asked : 'waiting';
  const page = Math.max(1, Number(search.get('page')) || 1);
  const cases = useQuery(casesQuery(show, page));
  const next = useNextCase();
  useShortcuts({ n: () => !next.isPending && next.mutate() });

  const turnTo = (to: number) => setSearch({ show, page: String(to) });
  return (
    <>
      <PageTitle title="Cases">
        <div className={ui.row}>
          {cases.data && <span>{counted(cases.data.waiting, 'case waits', 'cases wait')}</span>}
          <Button variant="primary" shortcut="N" isBusy={next.isPending} onClick={() => next.mutate()}>
            Next case
          </Button>
        </div>
      </PageTitle>
      <nav aria-label="Which cases">
        <ul role="list" className={styles.filters}>
          {caseFilters.map((filter) => (
            <li key={filter}>
              <Link to={`/?show=${filter}`} aria-current={filter === show ? 'page' : undefined}>
                {filterWords[filter]}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {cases.isError && (
        <Banner tone="alarm" isAlert action={<Button onClick={() => void cases.refetch()}>Try again</Button>}>
          {failureWords(cases.error)}
        </Banner>
      )}
      {cases.data?.cases.length === 0 && <p className={styles.nothing}>{nothingWords[show]}</p>}
      {cases.data && cases.data.cases.length > 0 && <CaseTable cases={cases.data.cases} show={show} />}
      {(page > 1 || cases.data?.hasMore) && (
        <div className={`${ui.row} ${ui.end}`}>
          {page > 1 && <Button onClick={() => turnTo(page - 1)}>Earlier page</Button>}
          <span>Page {page}</span>
          {cases.data?.hasMore && <Button onClick={() => turnTo(page + 1)}>Next page</Button>}
        </div>
      )}
    </>
  );
}

function CaseTable({ cases, show }: { readonly cases: readonly CaseLine[]; readonly show: CaseFilter }) {
  const now = useNow(20_000);
  return (
    <div className={ui.tableFrame}>
      <table className={`${ui.table} ${styles.cases}`}>
        <caption className="visually-hidden">{filterWords[show]}, the most urgent first</caption>
        <thead>
          <tr>
            <th scope="col">Case</th>
            <th scope="col">Severity</th>
            <th scope="col">{show === 'closed' ? 'Opened' : 'Due'}</th>
            <th scope="col">Reports</th>
            <th scope="col">{show === 'closed' ? 'State' : 'Lease'}</th>
          </tr>
        </thead>
        <tbody>
          {cases.map((line) => (
            <tr key={line.id}>
              <td>
                <Link to={`/cases/${line.id}`} className={styles.link}>
                  {kindWords[line.kind]} <span className={styles.id}>#{line.id}</span>
                </Link>
                <p>{ruleWords[line.policy].name}</p>
                <div className={styles.flags}>
                  {line.isPaused && <Tag tone="warn">Paused</Tag>}
                  {line.isFrozen && <Tag tone="warn">No pause</Tag>}
                  {line.source === 'order' && <Tag tone="alarm">Legal order</Tag>}
                  {line.state === 'escalated' && <Tag tone="calm">Escalated</Tag>}
                  {line.state === 'appealed' && <Tag tone="calm">Appeal</Tag>}
                </div>
              </td>
              <td>
                <SeverityTag severity={line.severity} />
              </td>
              <td>{show === 'closed' ? exactTime(line.openedAt) : <Due line={line} now={now} />}</td>
              <td>
                <p>{line.reporters > 0 ? counted(line.reporters, 'reporter') : sourceWords[line.source]}</p>
                <p className={ui.hint}>
                  {line.reasons.map(({ reason, count }) => `${reasonWords[reason]} ${count}`).join(', ')}
                </p>
              </td>
              <td>
                {show === 'closed' ? (
                  stateWords[line.state]
                ) : (
                  <Tag tone={line.lease === 'mine' ? 'calm' : 'plain'}>{leaseWords[line.lease]}</Tag>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Due({ line, now }: { readonly line: CaseLine; readonly now: number }) {
  const { text, isOverdue } = dueWords(line, now);
  return (
    <time dateTime={line.dueAt}>
      {isOverdue ? <Tag tone="alarm">{text}</Tag> : text}
      {line.state !== 'appealed' && (
        <span className={`${ui.hint} ${styles.at}`}>{localTime(line.dueAt)}</span>
      )}
    </time>
  );
}
