import type { NoticeView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useId, useRef } from 'react';
import { Link } from 'react-router';
import { useCurrentUser } from '../../lib/current-user.ts';
import { failureText } from '../../lib/error-text.ts';
import { paths } from '../../lib/paths.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { Note } from '../../ui/note.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { Bar, Loading } from '../../ui/skeleton.tsx';
import { AppealForm } from './appeal-form.tsx';
import { noticesQuery } from './moderation.api.ts';
import { appealOutcome, Decision, ruleOf, sanctionOf } from './notice-words.tsx';
import styles from './moderation.module.css';

/** Decisions about what the user wrote. Suspended people can read it, too. */
export function NoticesPage() {
  const { t } = useLingui();
  const { data: self } = useCurrentUser();
  return (
    <div className={styles.page}>
      <PageHeading>{t`Notices`}</PageHeading>
      {self?.suspended && (
        <Note>
          <Trans>
            Your account is paused for now. You can still read this page and ask for a second look. Your data
            is in <Link to={paths.settings}>Settings</Link>.
          </Trans>
        </Note>
      )}
      <Notices />
    </div>
  );
}

function Notices() {
  const { t } = useLingui();
  const { data: notices, error, isFetching, refetch } = useQuery(noticesQuery);
  if (notices) {
    if (notices.length === 0)
      return (
        <Card>
          <EmptyState title={<Trans>Nothing here.</Trans>}>
            <Trans>If we ever take down something you wrote, you'll read here what and why.</Trans>
          </EmptyState>
        </Card>
      );
    return (
      <ul role="list" className={styles.notices}>
        {notices.map((notice) => (
          <li key={notice._id}>
            <Notice notice={notice} />
          </li>
        ))}
      </ul>
    );
  }
  if (error)
    return (
      <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
        {failureText(error, t`Couldn't load your notices.`)}
      </ErrorCard>
    );
  return (
    <Loading className={styles.notices}>
      <Bar height={140} />
    </Loading>
  );
}

function Notice({ notice }: { readonly notice: NoticeView }) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const sanction = sanctionOf(notice);
  const outcome = appealOutcome(notice);
  return (
    <Card as="article" aria-labelledby={id} className={styles.notice}>
      <h2 ref={heading} id={id} tabIndex={-1} className={styles.decision}>
        <Decision notice={notice} />
      </h2>
      {notice.kind === 'care' ? <Care /> : <Reason notice={notice} />}
      {sanction !== '' && <p className={styles.sanction}>{sanction}</p>}
      {outcome !== '' && <Note>{outcome}</Note>}
      {notice.appeal === 'open' && (
        <AppealForm notice={notice} onSent={() => heading.current?.focus({ preventScroll: true })} />
      )}
    </Card>
  );
}

function Reason({ notice: { policy } }: { readonly notice: NoticeView }) {
  const rule = ruleOf(policy);
  return (
    <>
      <p>
        <Trans>Rule: {rule}. A person decided this.</Trans>
      </p>
      {policy === 'method_info' && (
        <p>
          <Trans>
            You can say it again without the part that describes a method. We're not upset with you.
          </Trans>
        </p>
      )}
    </>
  );
}

/** Nothing was done wrong: no rule, no appeal. */
function Care() {
  return (
    <>
      <p>
        <Trans>
          You didn't break any rule, and it's still there. If things feel heavy, you can talk to someone. If
          you might hurt yourself now, call 112.
        </Trans>
      </p>
      <div>
        <ButtonLink to={paths.support} variant="outlined">
          <Trans>Find someone to talk to</Trans>
        </ButtonLink>
      </div>
    </>
  );
}
