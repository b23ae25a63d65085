import { reactionTypes, type ReactionType, type VentView } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { formatCount } from '../../../lib/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import { hug, hugFill } from './hug-icon.ts';
import { useReactions } from './reactions.api.ts';
import heart from '@material-symbols/svg-400/rounded/favorite.svg?path';
import heartFill from '@material-symbols/svg-400/rounded/favorite-fill.svg?path';
import hearing from '@material-symbols/svg-400/rounded/hearing.svg?path';
import hearingFill from '@material-symbols/svg-400/rounded/hearing-fill.svg?path';
import styles from './reaction-bar.module.css';

const icons: Readonly<Record<ReactionType, readonly [resting: string, given: string]>> = {
  heart: [heart, heartFill],
  hug: [hug, hugFill],
  listen: [hearing, hearingFill],
};

/** The three reactions as toggle buttons, on an own vent as counts alone, followed by `children`. */
export function ReactionBar({ vent, children }: { readonly vent: VentView; readonly children?: ReactNode }) {
  const { t } = useLingui();
  const { toggle } = useReactions();
  // The accessible name begins with the visible word, so that speech control finds the button.
  const words: Readonly<Record<ReactionType, readonly [word: string, meaning: string]>> = {
    heart: [t`Love`, t`shows love`],
    hug: [t`Hug`, t`shows support`],
    listen: [t`I hear you`, t`shows empathy`],
  };
  return (
    <div className={styles.bar}>
      {reactionTypes.map((type) => {
        const isGiven = vent.myReactions.includes(type);
        const count = vent.reactions[type];
        const [word, meaning] = words[type];
        const name = `${word}, ${meaning}, ${count}`;
        if (vent.isOwner)
          return (
            <span key={type} className={styles.got}>
              <IconWithCount path={icons[type][0]} count={count} word={word} />
              <span className="visually-hidden">{name}</span>
            </span>
          );
        return (
          <button
            key={type}
            type="button"
            className={styles.reaction}
            aria-pressed={isGiven}
            aria-label={name}
            onClick={() => void toggle(vent, type)}
          >
            <IconWithCount path={icons[type][isGiven ? 1 : 0]} count={count} word={word} />
            <span aria-hidden="true" className={styles.meaning}>
              {meaning}
            </span>
          </button>
        );
      })}
      {children}
    </div>
  );
}

interface IconWithCountProps {
  readonly path: string;
  readonly count: number;
  readonly word: string;
}

/**
 * Icon, count and word that have an accessible name beside them. Zero is not shown. The count is drawn by
 * the style sheet: the visible text is then the word, which the name contains.
 */
export function IconWithCount({ path, count, word }: IconWithCountProps) {
  return (
    <span aria-hidden="true" className={styles.content}>
      <span className={styles.sign}>
        <Icon path={path} size={22} />
        {count > 0 && <span className={styles.count} data-count={formatCount(count)} />}
      </span>
      <span className={styles.word}>{word}</span>
    </span>
  );
}
