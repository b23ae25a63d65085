import { keySetting } from '../lib/key-setting.ts';
import { Check } from '../ui/field.tsx';
import { Modal } from '../ui/modal.tsx';
import ui from '../ui/ui.module.css';
import styles from './help.module.css';

const keys: readonly (readonly [key: string, what: string])[] = [
  ['N', 'Take the next case'],
  ['R', 'Reveal the next hidden text'],
  ['1 2 3 4', 'Keep, care note, hide, remove. For an appeal: 1 uphold, 2 overturn'],
  ['P', 'Choose the rule'],
  ['Ctrl Enter', 'Confirm (on a Mac: ⌘ Enter)'],
  ['S', 'Skip the case. Nobody asks why'],
  ['E', 'Hand the case to a lead'],
  ['?', 'This sheet'],
  ['Esc', 'Close a dialog'],
];

export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const areOn = keySetting.useValue();
  return (
    <Modal title="Keys" onClose={onClose}>
      <dl className={styles.keys}>
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              {key.split(' ').map((one) => (
                <kbd key={one} className={ui.key}>
                  {one}
                </kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <Check
        label="Use single keys"
        hint="Off: only Ctrl Enter and Esc work. Stored in this browser. Keys never fire while you type in a field."
        checked={areOn}
        onChange={(event) => keySetting.set(event.target.checked)}
      />
    </Modal>
  );
}
