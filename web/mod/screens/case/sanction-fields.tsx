import { sanctions } from '@unsaid/contract';
import type { CaseView, ModeratorRole } from '@unsaid/contract/moderation/console';
import { sanctionWords } from '../../lib/words.ts';
import { Choices } from '../../ui/choices.tsx';
import { Check, TextField } from '../../ui/field.tsx';
import { Tag } from '../../ui/tag.tsx';
import { dayRange, mustStartAtOnce, type Draft } from './draft.ts';
import styles from './case.module.css';

interface SanctionFieldsProps {
  readonly view: CaseView;
  readonly role: ModeratorRole;
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
}

export function SanctionFields({ view, role, draft, onChange }: SanctionFieldsProps) {
  const range = draft.sanction && dayRange(draft.sanction, role);
  const isForced = mustStartAtOnce(draft);
  return (
    <div className={styles.sanction}>
      <div data-field="sanction">
        <Choices
          label="Sanction for the author"
          isInColumns
          value={draft.sanction}
          onChange={(sanction) => onChange({ sanction, days: '' })}
          choices={sanctions.map((value) => {
            const isDisabled = value === 'ban' && role !== 'lead';
            return {
              value,
              ...sanctionWords[value],
              ...(isDisabled && { meaning: 'Only a lead can ban: hand it over.' }),
              isDisabled,
              mark: value === view.suggestedSanction && value !== 'none' && <Tag>Suggested</Tag>,
            };
          })}
        />
      </div>
      {range && (
        <div data-field="days" className={styles.days}>
          <TextField
            label="Days"
            hint={`${range.min} to ${range.max}`}
            type="number"
            inputMode="numeric"
            min={range.min}
            max={range.max}
            value={draft.days === '' ? String(range.default) : draft.days}
            onChange={(event) => onChange({ days: event.target.value })}
          />
        </div>
      )}
      {draft.sanction && draft.sanction !== 'none' && (
        <Check
          label="Starts at once"
          hint={
            isForced
              ? 'Always so for this rule.'
              : 'Otherwise it starts within six hours, so that nobody can tell whose vent it was about.'
          }
          checked={isForced || draft.startsAtOnce}
          disabled={isForced}
          onChange={(event) => onChange({ startsAtOnce: event.target.checked })}
        />
      )}
    </div>
  );
}
