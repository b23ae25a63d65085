import type { Emotion, PublicUser } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { formatList } from '../lib/format.ts';
import { preferenceLabel } from '../lib/preference.ts';
import { EmotionChips } from './emotion.tsx';
import { UserText } from './user-text.tsx';
import styles from './profile-facts.module.css';

export function Bio({ children }: { readonly children: string }) {
  return (
    <p className={styles.bio}>
      {children === '' ? (
        <span className={styles.none}>
          <Trans>No bio provided.</Trans>
        </span>
      ) : (
        <UserText>{children}</UserText>
      )}
    </p>
  );
}

interface ProfileFactsProps {
  readonly user: PublicUser;
  /** Only on the person's own page. Matches see only the feelings both have named. */
  readonly feelings?: readonly Emotion[];
}

/**
 * Profile details, shown on the person's own page and to matches. What has nothing to show is named in one line: four
 * headings without content tell nothing more.
 */
export function ProfileFacts({ user, feelings }: ProfileFactsProps) {
  const { t } = useLingui();
  const { matchPreference } = user.preferences;
  const things = [
    [t`Interests`, user.interests],
    [t`Likes`, user.likes],
    [t`Dislikes`, user.dislikes],
  ] as const;
  const empty = [
    ...things.filter(([, list]) => list.length === 0).map(([label]) => label),
    ...(matchPreference === null ? [t`Match preference`] : []),
  ];
  return (
    <dl className={styles.facts}>
      {feelings !== undefined && feelings.length > 0 && (
        <div>
          <dt>{t`Feeling lately`}</dt>
          <dd>
            <EmotionChips emotions={feelings} label={t`Feeling lately`} />
          </dd>
        </div>
      )}
      {things
        .filter(([, list]) => list.length > 0)
        .map(([label, list]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <ul role="list" className={styles.things}>
                {list.map((thing) => (
                  <li key={thing}>
                    <UserText>{thing}</UserText>
                  </li>
                ))}
              </ul>
            </dd>
          </div>
        ))}
      {matchPreference !== null && (
        <div>
          <dt>{t`Match preference`}</dt>
          <dd>{preferenceLabel(matchPreference)}</dd>
        </div>
      )}
      {empty.length > 0 && (
        <div className={styles.rest}>
          <dt>{formatList(empty)}</dt>
          <dd className={styles.none}>
            <Trans>Not specified.</Trans>
          </dd>
        </div>
      )}
    </dl>
  );
}
