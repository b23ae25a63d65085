import { reactionTypes, type ReactionType, type VentView } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { formatCount } from '../../../lib/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import { useReactions } from '../vents.api.ts';
import heart from '@material-symbols/svg-400/rounded/favorite.svg?path';
import heartFill from '@material-symbols/svg-400/rounded/favorite-fill.svg?path';
import hearing from '@material-symbols/svg-400/rounded/hearing.svg?path';
import hearingFill from '@material-symbols/svg-400/rounded/hearing-fill.svg?path';
import hug from '@material-symbols/svg-400/rounded/volunteer_activism.svg?path';
import hugFill from '@material-symbols/svg-400/rounded/volunteer_activism-fill.svg?path';
import styles from './reaction-bar.module.css';

const icons: Readonly<Record<ReactionType, readonly [resting: string, given: string]>> = {
  heart: [heart, heartFill],
  hug: [hug, hugFill],
  listen: [hearing, hearingFill],
};

/** The three reactions as toggle buttons, followed by `children`. */
export function ReactionBar({ vent, children }: { readonly vent: VentView; readonly children?: ReactNode }) {
  const { t } = useLingui();
  const { toggle } = useReactions();
  const words: Readonly<Record<ReactionType, readonly [name: string, meaning: string]>> = {
    heart: [t`Heart`, t`shows love`],
    hug: [t`Hug`, t`shows support`],
    listen: [t`Listen`, t`shows empathy`],
  };
  return (
    <div className={styles.bar}>
      {reactionTypes.map((type) => {
        const isGiven = vent.myReactions.includes(type);
        const count = vent.reactions[type];
        const [name, meaning] = words[type];
        return (
          <button
            key={type}
            type="button"
            className={styles.reaction}
            aria-pressed={isGiven}
            aria-label={`${name}, ${meaning}, ${count}`}
            onClick={() => void toggle(vent, type)}
          >
            <Icon path={icons[type][isGiven ? 1 : 0]} size={22} />
            <span aria-hidden="true">{formatCount(count)}</span>
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
