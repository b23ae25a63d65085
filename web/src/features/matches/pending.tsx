import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useId, useRef, type ReactNode, type Ref } from 'react';
import { paths } from '../../lib/paths.ts';
import type { Outcome } from './answer-queue.ts';
import { Answers, isHeld } from './answers.tsx';
import { MatchCard, Standing, type OnPerson } from './match-card.tsx';
import { MatchQuery, NoMatches } from './match-query.tsx';
import { statusMeaning, toOpenMatch, type OpenMatch } from './match-view.ts';
import { pendingQuery } from './matches.api.ts';
import { useAnswers, useAnswerState } from './use-answers.ts';
import styles from './matches.module.css';

interface PendingProps {
  readonly selfId: string;
  readonly onPerson: OnPerson;
}

/** Matches that wait for a reply: received and sent. */
export function Pending({ selfId, onPerson }: PendingProps) {
  const { t } = useLingui();
  const query = useQuery(pendingQuery);
  const headings = { received: useRef<HTMLHeadingElement>(null), sent: useRef<HTMLHeadingElement>(null) };
  const { receivedMatches = [], sentMatches = [] } = query.data ?? {};
  const received = useAnswers(
    receivedMatches.map((match) => toOpenMatch(match, selfId)),
    () => headings.received.current?.focus(),
  );
  const sent = useAnswers(
    sentMatches.map((match) => toOpenMatch(match, selfId)),
    () => headings.sent.current?.focus(),
  );

  return (
    <MatchQuery query={query} failure={t`Couldn't load your pending matches.`}>
      {() => (
        <>
          <Section title={t`Received`} headingRef={headings.received}>
            {received.shown.length > 0 ? (
              <ul role="list" ref={received.list} className={styles.list}>
                {received.shown.map(({ match, outcome }) => (
                  <li key={match.id}>
                    <PendingCard match={match} outcome={outcome} onPerson={onPerson} />
                  </li>
                ))}
              </ul>
            ) : (
              <NoMatches
                title={<Trans>No pending received matches.</Trans>}
                to={paths.home}
                action={<Trans>Your profile</Trans>}
              >
                <Trans>Nobody's waiting for your answer.</Trans>
              </NoMatches>
            )}
          </Section>
          <Section title={t`Sent`} headingRef={headings.sent}>
            {sent.shown.length > 0 ? (
              <ul role="list" ref={sent.list} className={styles.list}>
                {sent.shown.map(({ match, outcome }) => (
                  <li key={match.id}>
                    <PendingCard match={match} outcome={outcome} onPerson={onPerson} isSent />
                  </li>
                ))}
              </ul>
            ) : (
              <NoMatches
                title={<Trans>No pending sent matches.</Trans>}
                to={paths.matches}
                action={<Trans>See suggestions</Trans>}
              >
                <Trans>You're not waiting for anyone.</Trans>
              </NoMatches>
            )}
          </Section>
        </>
      )}
    </MatchQuery>
  );
}

interface PendingCardProps {
  readonly match: OpenMatch;
  readonly outcome: Outcome | undefined;
  readonly onPerson: OnPerson;
  readonly isSent?: boolean;
}

function PendingCard({ match, outcome, onPerson, isSent = false }: PendingCardProps) {
  const state = useAnswerState(match.id);
  return (
    <MatchCard
      other={match.other}
      onName={() => onPerson(match.other, isSent || isHeld(state) || outcome ? undefined : match)}
      heading={3}
      about={<Standing status={outcome?.isMutual ? 'accepted' : 'pending'} score={match.score} />}
    >
      {!outcome && (
        <p className={styles.soft}>
          {isSent ? statusMeaning('pending') : <Trans>They said yes to you. Now it's your turn.</Trans>}
        </p>
      )}
      <div className={styles.foot}>
        <Answers match={match} outcome={outcome} said={isSent ? 'sent' : undefined} />
      </div>
    </MatchCard>
  );
}

interface SectionProps {
  readonly title: string;
  readonly headingRef: Ref<HTMLHeadingElement>;
  readonly children: ReactNode;
}

function Section({ title, headingRef, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.part}>
      <h2 id={id} ref={headingRef} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </section>
  );
}
