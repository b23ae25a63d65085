import type { PolicyName } from '@unsaid/contract';
import { policies } from '@unsaid/contract/moderation/policies';
import { useEffect, useRef, useState } from 'react';
import { useShortcuts } from '../../lib/shortcuts.ts';
import { ruleWords } from '../../lib/words.ts';
import { Button } from '../../ui/button.tsx';
import { Choices } from '../../ui/choices.tsx';
import { Modal } from '../../ui/modal.tsx';
import { SeverityTag } from '../../ui/severity-tag.tsx';
import ui from '../../ui/ui.module.css';
import styles from './case.module.css';

interface RuleDialogProps {
  readonly rules: readonly PolicyName[];
  readonly value: PolicyName | null;
  readonly onChoose: (rule: PolicyName) => void;
  readonly onClose: () => void;
}

/** Arrow keys move, Enter chooses. */
export function RuleDialog({ rules, value, onChoose, onClose }: RuleDialogProps) {
  const [chosen, setChosen] = useState(value);
  const group = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    const radios = group.current?.querySelectorAll<HTMLInputElement>('input');
    const current = [...(radios ?? [])].find((radio) => radio.checked) ?? radios?.[0];
    current?.focus();
  }, []);
  const choose = () => chosen && onChoose(chosen);
  useShortcuts({ confirm: choose }, { isInDialog: true });
  return (
    <Modal title="Which rule was broken?" onClose={onClose}>
      <form
        className={styles.rules}
        onSubmit={(event) => {
          event.preventDefault();
          choose();
        }}
      >
        <Choices
          ref={group}
          label="Rule"
          isLabelHidden
          value={chosen}
          onChange={setChosen}
          choices={rules.map((rule) => ({
            value: rule,
            name: ruleWords[rule].name,
            mark: <SeverityTag severity={policies[rule].severity} />,
            meaning: (
              <>
                {ruleWords[rule].meaning} <em>For example: {ruleWords[rule].example}</em>
              </>
            ),
          }))}
        />
        <div className={`${ui.row} ${ui.end} ${styles.confirm}`}>
          <Button isSubmit variant="primary">
            Choose
          </Button>
        </div>
      </form>
    </Modal>
  );
}
