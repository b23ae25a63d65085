import { Trans, useLingui } from '@lingui/react/macro';
import type { LedgerMonth, LedgerOutcome, LedgerTime, PolicyName } from '@unsaid/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { formatDecimals } from '../../lib/format.ts';
import { paths } from '../../lib/paths.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { Prose } from '../../ui/prose.tsx';
import { Bar, Loading } from '../../ui/skeleton.tsx';
import { ledgerQuery } from './info.api.ts';
import { InfoLinks } from './info-links.tsx';
import styles from './info.module.css';

export function LedgerPage() {
  const { t } = useLingui();
  return (
    <Prose
      title={t`What moderators did`}
      lead={<Trans>What was reported, what we decided, and how long it took. For everyone to see.</Trans>}
    >
      <p>
        <Trans>
          A month is shown once it's over. Very small numbers are left out, so that nobody can be recognised.
        </Trans>
      </p>
      <Months />
      <Meanings />
      <p>
        <Trans>
          The times we promise are under <Link to={paths.grievance}>Grievance officer</Link>.
        </Trans>
      </p>
      <InfoLinks />
    </Prose>
  );
}

function Months() {
  const { t, i18n } = useLingui();
  const { data, isError, isFetching, refetch } = useQuery(ledgerQuery);
  if (isError && data === undefined) {
    return (
      <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
        {t`We couldn't load the figures.`}
      </ErrorCard>
    );
  }
  if (data === undefined) {
    return (
      <Loading className={styles.lines}>
        <Bar width="40%" height={28} />
        <Bar />
        <Bar />
        <Bar width="80%" />
      </Loading>
    );
  }
  const [newest, ...earlier] = data.months;
  if (newest === undefined) {
    return (
      <EmptyState title={t`Nothing yet`}>
        <Trans>The first month is shown here once it's over.</Trans>
      </EmptyState>
    );
  }
  const nameOf = (month: string) =>
    i18n.date(new Date(`${month}-01T00:00:00Z`), { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return (
    <>
      <h2>{nameOf(newest.month)}</h2>
      <Month figures={newest} name={nameOf(newest.month)} />
      {earlier.length > 0 && (
        <>
          <h2>
            <Trans>Earlier months</Trans>
          </h2>
          <div>
            {earlier.map((figures) => (
              <details key={figures.month} className={styles.question}>
                <summary>{nameOf(figures.month)}</summary>
                <Month figures={figures} name={nameOf(figures.month)} />
              </details>
            ))}
          </div>
        </>
      )}
      {data.audit !== null && <AuditHead hash={data.audit.hash} />}
    </>
  );
}

function Month({ figures, name }: { readonly figures: LedgerMonth; readonly name: string }) {
  const { t } = useLingui();
  const { decisions } = figures;
  const rules = useRuleNames();
  const outcomes: Readonly<Record<LedgerOutcome, string>> = {
    keep: t`Nothing wrong, it stays`,
    care: t`A caring note, it stays`,
    hide: t`Hidden`,
    remove: t`Taken down`,
  };
  const times: Readonly<Record<LedgerTime, string>> = {
    '36 hours': t`Within 36 hours`,
    '7 days': t`Within 7 days`,
    longer: t`Later`,
  };
  return (
    <table className={styles.ledger} aria-label={name}>
      <tbody>
        <Row label={t`Reports`}>
          <Count value={figures.reports} />
        </Row>
        <Row label={t`Decisions`}>
          <Count value={decisions.total} />
        </Row>
        {decisions.byOutcome.map(({ outcome, count }) => (
          <Row key={outcome} label={outcomes[outcome]} isPart>
            <Count value={count} />
          </Row>
        ))}
        {decisions.otherOutcomes !== null && decisions.otherOutcomes > 0 && (
          <Row label={t`Other outcomes`} isPart>
            <Count value={decisions.otherOutcomes} />
          </Row>
        )}
        {decisions.byRule.map(({ rule, count }) => (
          <Row key={rule} label={t`Rule: ${rules[rule]}`} isPart>
            <Count value={count} />
          </Row>
        ))}
        {decisions.otherRules !== null && decisions.otherRules > 0 && (
          <Row label={t`Other rules`} isPart>
            <Count value={decisions.otherRules} />
          </Row>
        )}
        {decisions.byTime.map(({ time, count }) => (
          <Row key={time} label={times[time]} isPart>
            <Count value={count} />
          </Row>
        ))}
        {decisions.otherTimes !== null && decisions.otherTimes > 0 && (
          <Row label={t`Other times`} isPart>
            <Count value={decisions.otherTimes} />
          </Row>
        )}
        <Row label={t`Pauses`}>
          <Count value={figures.pauses} />
        </Row>
        <Row label={t`Second looks asked for`}>
          <Count value={figures.appeals} />
        </Row>
        <Row label={t`We had been wrong`}>
          <Count value={figures.overturned} />
        </Row>
        <Row label={t`Decisions we undid ourselves`}>
          <Count value={figures.reversed} />
        </Row>
        <Row label={t`Orders of courts and authorities`}>
          <Count value={figures.orders} />
        </Row>
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly label: string;
  /** A part of the figure above it. */
  readonly isPart?: boolean;
  readonly children: ReactNode;
}

function Row({ label, isPart = false, children }: RowProps) {
  return (
    <tr>
      <th scope="row" className={isPart ? styles.part : undefined}>
        {label}
      </th>
      <td>{children}</td>
    </tr>
  );
}

function Count({ value }: { readonly value: number | null }) {
  return value === null ? <Trans>fewer than 5</Trans> : formatDecimals(value, 0);
}

function useRuleNames(): Readonly<Record<PolicyName, string>> {
  const { t } = useLingui();
  return {
    minor_safety: t`a child's safety`,
    encourages_self_harm: t`pushing someone to hurt themselves`,
    private_info: t`private details`,
    threat: t`threats`,
    method_info: t`ways to hurt oneself`,
    harassment: t`harassment`,
    sexual: t`sexual content`,
    spam_scam: t`spam and scams`,
    other: t`something else`,
    worried: t`worry about someone`,
    legal_order: t`the law`,
  };
}

function AuditHead({ hash }: { readonly hash: string }) {
  return (
    <>
      <h2>
        <Trans>Checking us</Trans>
      </h2>
      <p>
        <Trans>
          Every step of a moderator is written to a log that can only grow. When yesterday ended, this was its
          fingerprint:
        </Trans>
      </p>
      <p>
        <code className={styles.hash}>{hash}</code>
      </p>
      <p className={styles.small}>
        <Trans>
          Note it down if you like. If anyone changes or removes an entry later, the log no longer leads to
          this fingerprint.
        </Trans>
      </p>
    </>
  );
}

function Meanings() {
  return (
    <>
      <h2>
        <Trans>What the figures mean</Trans>
      </h2>
      <dl className={styles.retention}>
        <Meaning of={<Trans>Reports</Trans>}>
          <Trans>How often someone pressed Report. Several reports of one thing are one case.</Trans>
        </Meaning>
        <Meaning of={<Trans>Decisions</Trans>}>
          <Trans>
            Cases that a person decided, by what happened, by rule and by time since the first report, each
            counted apart. Hidden and taken down both mean that others can't read it any more.
          </Trans>
        </Meaning>
        <Meaning of={<Trans>Pauses</Trans>}>
          <Trans>
            Many reports can hide something for up to 3 days, until a person decides. No machine decides.
          </Trans>
        </Meaning>
        <Meaning of={<Trans>Second looks</Trans>}>
          <Trans>
            Someone disagreed, and another moderator looked again. “Wrong” counts those we took back.
          </Trans>
        </Meaning>
        <Meaning of={<Trans>Orders</Trans>}>
          <Trans>What courts and authorities asked us to take down.</Trans>
        </Meaning>
      </dl>
    </>
  );
}

function Meaning({ of, children }: { readonly of: ReactNode; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{of}</dt>
      <dd>{children}</dd>
    </div>
  );
}
