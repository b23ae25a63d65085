import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { paths } from '../../lib/paths.ts';
import { ErrorCard } from '../../ui/error-card.tsx';
import { Prose } from '../../ui/prose.tsx';
import { Bar, Loading } from '../../ui/skeleton.tsx';
import { officerQuery } from './info.api.ts';
import { InfoLinks } from './info-links.tsx';
import styles from './info.module.css';

export function GrievancePage() {
  const { t } = useLingui();
  return (
    <Prose
      title={t`Grievance officer`}
      lead={
        <Trans>
          A person you can write to when something here is wrong: a decision of ours, your data, or words that
          hurt you.
        </Trans>
      }
    >
      <Officer />

      <h2>{t`How to write`}</h2>
      <ul>
        <li>
          <Trans>
            Is it about a vent, a comment or a profile? Report it in Unsaid, if you can. It's faster, and we
            don't see who you are.
          </Trans>
        </li>
        <li>
          <Trans>
            Otherwise write an email. Tell us what happened and what you'd like us to do. If it's about a
            vent, add its link.
          </Trans>
        </li>
        <li>
          <Trans>
            You don't have to give your name. We do see the address you write from. It stays in the mailbox
            and isn't stored in Unsaid.
          </Trans>
        </li>
        <li>
          <Trans>Never send us an OTP or your recovery code.</Trans>
        </li>
      </ul>
      <p>
        <Trans>
          If someone could be in danger, don't wait for us. The numbers under{' '}
          <Link to={paths.support}>Support</Link> are faster.
        </Trans>
      </p>

      <h2>{t`How long it takes`}</h2>
      <dl className={styles.retention}>
        <div>
          <dt>{t`24 hours`}</dt>
          <dd>
            <Trans>We tell you that it arrived. For a report in Unsaid, right away.</Trans>
          </dd>
        </div>
        <div>
          <dt>{t`36 hours`}</dt>
          <dd>
            <Trans>
              We decide about dangerous things: a child's safety, threats, private details, harassment, sexual
              content, or pushing someone to hurt themselves.
            </Trans>
          </dd>
        </div>
        <div>
          <dt>{t`7 days`}</dt>
          <dd>
            <Trans>We decide about everything else.</Trans>
          </dd>
        </div>
        <div>
          <dt>{t`3 hours`}</dt>
          <dd>
            <Trans>We act on an order of a court or an authority.</Trans>
          </dd>
        </div>
      </dl>
      <p>
        <Trans>
          As we read India's rules, this is what they ask of a service like ours.{' '}
          <Link to={paths.ledger}>What moderators did</Link> shows how often we kept to it.
        </Trans>
      </p>

      <h2>{t`If you think we decided wrong`}</h2>
      <p>
        <Trans>
          When we take something of yours down, you get a notice in Unsaid, with the rule. You can ask for a
          second look there, once. Someone else decides, within 3 days. If that doesn't settle it, write to
          the officer.
        </Trans>
      </p>

      <h2>{t`If you no longer agree`}</h2>
      <p>
        <Trans>
          You can take back your agreement to <Link to={paths.privacy}>Privacy</Link> any time: delete your
          account in Settings. If you can't log in, write to the officer. We can't see which account is yours,
          so we may not find it. An account that isn't used for a year is deleted anyway.
        </Trans>
      </p>
      <InfoLinks />
    </Prose>
  );
}

function Officer() {
  const { t } = useLingui();
  const { data: officer, isError, isFetching, refetch } = useQuery(officerQuery);
  if (isError && officer === undefined) {
    return (
      <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
        {t`We couldn't load the name and address.`}
      </ErrorCard>
    );
  }
  if (officer === undefined) {
    return (
      <Loading className={styles.callout}>
        <Bar width="50%" height={24} />
        <Bar width="70%" />
      </Loading>
    );
  }
  if (officer === null) {
    return (
      <div className={styles.callout}>
        <p>
          <mark className={styles.placeholder}>
            <Trans>[name and contact to be set by the operator]</Trans>
          </mark>
        </p>
      </div>
    );
  }
  return (
    <section className={styles.callout} aria-labelledby="officer">
      <h2 id="officer">
        <bdi>{officer.name}</bdi>
      </h2>
      <p>
        <a href={`mailto:${officer.email}`} className={styles.contact}>
          <bdi>{officer.email}</bdi>
        </a>
      </p>
      {officer.phone !== null && (
        <p>
          <a href={`tel:${officer.phone.replaceAll(/[^+0-9]/gu, '')}`} className={styles.contact}>
            {officer.phone}
          </a>
        </p>
      )}
      {officer.address !== null && (
        <p>
          <bdi>{officer.address}</bdi>
        </p>
      )}
    </section>
  );
}
