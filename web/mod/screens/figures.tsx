import { getMetrics } from '@unsaid/contract/moderation/console';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../api.ts';
import { failureWords } from '../lib/failure-words.ts';
import { outcomeDone, severityWords } from '../lib/words.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { Tag } from '../ui/tag.tsx';
import ui from '../ui/ui.module.css';
import styles from './figures.module.css';

const share = (part: number, whole: number): string =>
  whole === 0 ? 'none yet' : `${Math.round((100 * part) / whole)}%`;

/** `legal_order` → `Legal order`. */
const clockWords = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export function FiguresScreen() {
  const figures = useQuery({
    queryKey: ['figures'],
    queryFn: () => call(getMetrics),
    refetchInterval: 60_000,
  });
  const data = figures.data;
  return (
    <>
      <PageTitle title="Figures">
        <span className={ui.hint}>The last 30 days, and what waits now</span>
      </PageTitle>
      {figures.isError && (
        <Banner
          tone="alarm"
          isAlert
          action={<Button onClick={() => void figures.refetch()}>Try again</Button>}
        >
          {failureWords(figures.error)}
        </Banner>
      )}
      {data && (
        <>
          <dl className={styles.numbers}>
            <Number name="Median time to a decision">
              {data.medianHours === null ? 'none yet' : `${data.medianHours.toFixed(1)} h`}
            </Number>
            <Number name="Appeals waiting">{data.appeals.waiting}</Number>
            <Number
              name="Appeals overturned"
              hint={`${data.appeals.overturned} of ${data.appeals.resolved} resolved`}
            >
              {share(data.appeals.overturned, data.appeals.resolved)}
            </Number>
            <Number
              name="Pauses confirmed"
              hint={`${data.pauses.confirmed} of ${data.pauses.made} automatic pauses`}
            >
              {share(data.pauses.confirmed, data.pauses.made)}
            </Number>
            <Number name="Skipped">{data.skips}</Number>
          </dl>
          <div className={styles.tables}>
            <Figures title="Waiting now" heads={['Severity', 'Waiting', 'Overdue']}>
              {data.backlog.map(({ severity, waiting, overdue }) => (
                <tr key={severity}>
                  <td>{severityWords(severity)}</td>
                  <td className={ui.number}>{waiting}</td>
                  <td className={ui.number}>
                    {overdue > 0 ? <Tag tone="alarm">{overdue} overdue</Tag> : 'none'}
                  </td>
                </tr>
              ))}
            </Figures>
            <Figures title="Kept in time" heads={['Clock', 'Decided', 'In time']}>
              {data.clocks.map(({ name, decided, inTime }) => (
                <tr key={name}>
                  <td>{clockWords(name)}</td>
                  <td className={ui.number}>{decided}</td>
                  <td className={ui.number}>{share(inTime, decided)}</td>
                </tr>
              ))}
            </Figures>
            <Figures title="Decisions" heads={['The item was', 'Cases']}>
              {data.decisions.map(({ outcome, count }) => (
                <tr key={outcome}>
                  <td>{outcomeDone[outcome]}</td>
                  <td className={ui.number}>{count}</td>
                </tr>
              ))}
            </Figures>
          </div>
        </>
      )}
    </>
  );
}

interface NumberProps {
  readonly name: string;
  readonly hint?: string;
  readonly children: ReactNode;
}

function Number({ name, hint, children }: NumberProps) {
  return (
    <div className={ui.card}>
      <dt>{name}</dt>
      <dd>
        <span className={styles.number}>{children}</span>
        {hint && <p className={ui.hint}>{hint}</p>}
      </dd>
    </div>
  );
}

interface FiguresProps {
  readonly title: string;
  readonly heads: readonly string[];
  readonly children: ReactNode;
}

function Figures({ title, heads, children }: FiguresProps) {
  return (
    <section>
      <h2>{title}</h2>
      <div className={ui.tableFrame}>
        <table className={ui.table}>
          <thead>
            <tr>
              {heads.map((head, index) => (
                <th key={head} scope="col" className={index > 0 ? ui.number : undefined}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
    </section>
  );
}
