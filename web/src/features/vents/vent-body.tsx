import type { VentView } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { hashtagPath } from '../../lib/paths.ts';
import { UserText } from '../../ui/user-text.tsx';
import { ClippedText } from './clipped-text.tsx';
import { ReactionBar } from './reactions/reaction-bar.tsx';
import { textAfterTitle } from './text-after-title.ts';
import { VentAsks } from './vent-asks.tsx';
import clippedStyles from './clipped-text.module.css';
import styles from './vent-card.module.css';

interface VentBodyProps {
  readonly vent: VentView;
  /** Not clipped, on the vent's own page. */
  readonly isWhole?: boolean;
  /** After the reactions. */
  readonly children?: ReactNode;
}

/** What a vent says, on its card and on its own page. A new field is shown here, for both. */
export function VentBody({ vent, isWhole, children }: VentBodyProps) {
  const text = textAfterTitle(vent);
  return (
    <>
      {text === '' ? null : isWhole ? (
        <UserText className={clippedStyles.text}>{text}</UserText>
      ) : (
        <ClippedText>{text}</ClippedText>
      )}
      <Hashtags tags={vent.hashtags} />
      <VentAsks vent={vent} />
      <ReactionBar vent={vent}>{children}</ReactionBar>
    </>
  );
}

function Hashtags({ tags }: { readonly tags: readonly string[] }) {
  const { t } = useLingui();
  if (tags.length === 0) return null;
  return (
    <ul role="list" className={styles.tags} aria-label={t`Hashtags`}>
      {tags.map((tag) => (
        <li key={tag}>
          <Link to={hashtagPath(tag)} className={styles.tag}>
            <UserText>{`#${tag}`}</UserText>
          </Link>
        </li>
      ))}
    </ul>
  );
}
