import type { Emotion, PublicUser } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
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

/** Profile details, shown on the person's own page and to matches. */
export function ProfileFacts({ user, feelings }: ProfileFactsProps) {
  const { t } = useLingui();
  const { matchPreference } = user.preferences;
  return (
    <dl className={styles.facts}>
      {feelings !== undefined && feelings.length > 0 && (
        <div>
          <dt>{t`Feeling lately`}</dt>
          <dd className={styles.feelings}>
            <EmotionChips emotions={feelings} label={t`Feeling lately`} />
          </dd>
        </div>
      )}
      <Things label={t`Interests`} things={user.interests} />
      <Things label={t`Likes`} things={user.likes} />
      <Things label={t`Dislikes`} things={user.dislikes} />
      <div>
        <dt>{t`Match preference`}</dt>
        <dd className={matchPreference === null ? styles.none : undefined}>
          {matchPreference === null ? <Trans>Not specified.</Trans> : preferenceLabel(matchPreference)}
        </dd>
      </div>
    </dl>
  );
}

function Things({ label, things }: { readonly label: string; readonly things: readonly string[] }) {
  return (
    <div>
      <dt>{label}</dt>
      {things.length === 0 ? (
        <dd className={styles.none}>
          <Trans>Not specified.</Trans>
        </dd>
      ) : (
        <dd>
          <ul role="list" className={styles.things}>
            {things.map((thing) => (
              <li key={thing}>
                <UserText>{thing}</UserText>
              </li>
            ))}
          </ul>
        </dd>
      )}
    </div>
  );
}
