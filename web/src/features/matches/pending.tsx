import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useId, useRef, type ReactNode, type Ref } from 'react';
import { failureText } from '../../lib/error-text.ts';
import { paths } from '../../lib/paths.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { Answers } from './answers.tsx';
import { MatchCard, MatchListSkeleton, Standing, type OnPerson } from './match-card.tsx';
import { toOpenMatch } from './match-view.ts';
import { pendingQuery } from './matches.api.ts';
import { useAnswers } from './use-answers.ts';
import styles from './matches.module.css';

interface PendingProps {
  readonly selfId: string;
  readonly onPerson: OnPerson;
}

/** Who is waiting for one's answer, and for whose answer one is waiting. */
export function Pending({ selfId, onPerson }: PendingProps) {
  const { t } = useLingui();
  const { data, error, isFetching, refetch } = useQuery(pendingQuery);
  const heading = useRef<HTMLHeadingElement>(null);
  const received = (data?.receivedMatches ?? []).map((match) => toOpenMatch(match, selfId));
  const sent = (data?.sentMatches ?? []).map((match) => toOpenMatch(match, selfId));
  const { shown, list, settle } = useAnswers(received, () => heading.current?.focus());

  return (
    <>
      {error && (
        <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
          {failureText(error, t`Your pending matches did not come.`)}
        </ErrorCard>
      )}
      {data ? (
        <>
          <Part title={t`Received`} headingRef={heading}>
            {shown.length > 0 ? (
              <ul role="list" ref={list} className={styles.list}>
                {shown.map(({ match, ending }) => (
                  <li key={match.id}>
                    <MatchCard
                      other={match.other}
                      onPerson={onPerson}
                      heading={3}
                      about={
                        <Standing status={ending?.isMutual ? 'accepted' : 'pending'} score={match.score} />
                      }
                    >
                      <div className={styles.foot}>
                        <Answers
                          match={match}
                          ending={ending}
                          onSettled={(ending) => settle(match, ending)}
                        />
                      </div>
                    </MatchCard>
                  </li>
                ))}
              </ul>
            ) : (
              <EmptyState
                title={<Trans>No pending received matches.</Trans>}
                action={
                  <ButtonLink to={paths.home} variant="outlined">
                    <Trans>Your profile</Trans>
                  </ButtonLink>
                }
              >
                <Trans>A few words on your profile help others say yes.</Trans>
              </EmptyState>
            )}
          </Part>
          <Part title={t`Sent`}>
            {sent.length > 0 ? (
              <ul role="list" className={styles.list}>
                {sent.map((match) => (
                  <li key={match.id}>
                    <MatchCard
                      other={match.other}
                      onPerson={onPerson}
                      heading={3}
                      about={<Standing status="pending" score={match.score} />}
                    />
                  </li>
                ))}
              </ul>
            ) : (
              <EmptyState
                title={<Trans>No pending sent matches.</Trans>}
                action={
                  <ButtonLink to={paths.matches} variant="outlined">
                    <Trans>See suggestions</Trans>
                  </ButtonLink>
                }
              >
                <Trans>Whoever you say yes to waits here until they answer.</Trans>
              </EmptyState>
            )}
          </Part>
        </>
      ) : (
        !error && <MatchListSkeleton />
      )}
    </>
  );
}

interface PartProps {
  readonly title: string;
  readonly headingRef?: Ref<HTMLHeadingElement>;
  readonly children: ReactNode;
}

function Part({ title, headingRef, children }: PartProps) {
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
