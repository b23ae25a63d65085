import { useLingui } from '@lingui/react/macro';
import { useId } from 'react';
import { createSessionStore } from '../../../lib/store.ts';
import { Icon } from '../../../ui/icon.tsx';
import { SwitchRow } from '../../../ui/switch-row.tsx';
import { wordsOf } from '../crisis/crisis-guard.ts';
import type { VentDraft } from './drafts.ts';
import { KeepPicker } from './keep-picker.tsx';
import { LaterSwitch } from './later-switch.tsx';
import { NeedPicker, useNeedLabels } from './need-picker.tsx';
import expand from '@material-symbols/svg-400/rounded/keyboard_arrow_down.svg?path';
import styles from './more-choices.module.css';

/** For this visit. */
const isOpenStore = createSessionStore(false);

/** A draft with what holds where its author chose nothing. */
export interface SettledDraft extends VentDraft {
  readonly isHeld: boolean;
}

interface MoreChoicesProps {
  readonly draft: SettledDraft;
  readonly hasChatted: boolean;
  readonly isWriting: boolean;
  readonly onChange: (part: Partial<VentDraft>) => void;
}

/** What a vent may say about itself. Most need none of it. */
export function MoreChoices({ draft, hasChatted, isWriting, onChange }: MoreChoicesProps) {
  const { t } = useLingui();
  const id = useId();
  const isOpen = isOpenStore.useValue();
  return (
    <div>
      <button
        type="button"
        className={styles.toggle}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => isOpenStore.set(!isOpen)}
      >
        <Icon path={expand} size={20} />
        {t`More choices`}
      </button>
      <div id={id} hidden={!isOpen} className={styles.choices}>
        <NeedPicker value={draft.need} onChange={(need) => onChange({ need })} />
        {draft.allowComments !== undefined && draft.need !== 'hug' && (
          <SwitchRow
            label={t`Let people comment`}
            isOn={draft.allowComments}
            onChange={(allowComments) => onChange({ allowComments })}
          />
        )}
        <LaterSwitch
          isOn={draft.isHeld}
          hasChatted={hasChatted}
          text={wordsOf(draft)}
          isWriting={isWriting}
          onChange={(isHeld) => onChange({ isHeld })}
        />
        <KeepPicker value={draft.keepDays} onChange={(keepDays) => onChange({ keepDays })} />
      </div>
    </div>
  );
}

/** What was chosen there, in one line beside the button that posts. Nothing where nothing was. */
export function Chosen({ draft }: { readonly draft: SettledDraft }) {
  const { t } = useLingui();
  const needs = useNeedLabels();
  const chosen = [
    draft.need && needs[draft.need],
    draft.allowComments === false && draft.need !== 'hug' && t`No comments`,
    draft.isHeld && t`A little later`,
    draft.keepDays === 7 && t`7 days`,
    draft.keepDays === 1 && t`24 hours`,
  ].filter((one) => typeof one === 'string');
  return chosen.length > 0 && <p className={styles.chosen}>{chosen.join(' · ')}</p>;
}
