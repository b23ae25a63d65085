import { limits, stripUsername } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useState, type ReactNode } from 'react';
import { Controller, useFormState, type Control } from 'react-hook-form';
import { preferenceLabel } from '../../lib/preference.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ChipsField } from '../../ui/chips-field.tsx';
import { Choice } from '../../ui/choice.tsx';
import { FeelingsPicker } from '../../ui/feelings-picker.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { Fold } from '../../ui/fold.tsx';
import { IdentityNotice } from '../../ui/identity-notice.tsx';
import { preferenceOptions, type ProfileIdentity, type ProfileValues } from './profile-form.ts';
import { suggestName } from './suggest-name.ts';
import another from '@material-symbols/svg-400/rounded/autorenew.svg?path';
import styles from './profile.module.css';

interface ProfileFieldsProps {
  readonly control: Control<ProfileValues>;
  /** Set while the user has no name yet. */
  readonly canSuggestName: boolean;
  readonly identity: ProfileIdentity;
  /** Shown below the name field. */
  readonly belowName?: ReactNode;
  /** Only the name and the feelings are asked; the rest can be opened. */
  readonly isFolded?: boolean;
}

const moreFields = ['bio', 'interests', 'likes', 'dislikes', 'matchPreference'] as const;

/** The fields shared by sign-up and the Update Profile dialog. */
export function ProfileFields({
  control,
  canSuggestName,
  identity,
  belowName,
  isFolded = false,
}: ProfileFieldsProps) {
  const { t } = useLingui();
  const [suggestion, setSuggestion] = useState(() => suggestName());
  const { errors } = useFormState({ control });
  // What is wrong must not be folded away.
  const hasMoreErrors = identity.guard.problem !== undefined || moreFields.some((name) => errors[name]);
  const more = (
    <>
      <Controller
        control={control}
        name="bio"
        render={({ field, fieldState }) => (
          <TextArea
            {...field}
            label={t`Bio`}
            placeholder={t`e.g. I like quiet evenings`}
            error={fieldState.error?.message}
            max={limits.bio}
          />
        )}
      />
      <IdentityNotice {...identity} field="bio" />
      <ChipsController
        control={control}
        name="interests"
        label={t`Interests`}
        placeholder={t`e.g. poetry, cricket, night walks`}
        hint={t`Separate with commas.`}
      />
      <IdentityNotice {...identity} field="interests" />
      <ChipsController
        control={control}
        name="likes"
        label={t`Likes`}
        placeholder={t`e.g. rain, old songs`}
      />
      <IdentityNotice {...identity} field="likes" />
      <ChipsController
        control={control}
        name="dislikes"
        label={t`Dislikes`}
        placeholder={t`e.g. loud rooms, small talk`}
      />
      <IdentityNotice {...identity} field="dislikes" />
      <Controller
        control={control}
        name="matchPreference"
        render={({ field }) => (
          <Choice
            legend={t`Match preference`}
            options={preferenceOptions.map((value) => ({ value, label: preferenceLabel(value) }))}
            value={field.value}
            onChange={field.onChange}
          />
        )}
      />
    </>
  );
  return (
    <>
      <Controller
        control={control}
        name="username"
        render={({ field, fieldState }) => (
          <div>
            <TextField
              {...field}
              label={t`Username`}
              hint={t`Letters, digits and underscore. Not your real name.`}
              error={fieldState.error?.message}
              max={limits.usernameChars}
              maxLength={200}
              autoComplete="off"
              autoCapitalize="none"
              autoCorrect="off"
              spellCheck={false}
              onChange={(event) => field.onChange(stripUsername(event.target.value))}
            />
            <IdentityNotice {...identity} field="username" onHide={undefined} />
            {canSuggestName && field.value === '' && (
              <div className={styles.suggestion}>
                <span>
                  <Trans>How about</Trans>
                </span>
                <Button
                  variant="quiet"
                  onClick={() => field.onChange(suggestion)}
                  aria-label={t`Use ${suggestion}`}
                >
                  {suggestion}
                </Button>
                <IconButton
                  label={t`Another name`}
                  icon={another}
                  iconSize={20}
                  onClick={() => setSuggestion(suggestName())}
                />
              </div>
            )}
          </div>
        )}
      />
      {belowName}
      <Controller
        control={control}
        name="feelings"
        render={({ field }) => (
          <FeelingsPicker
            value={field.value}
            onChange={field.onChange}
            hint={
              <Trans>
                Up to three. We use this to suggest people, never your vents. People see which feelings you
                share, and may guess the others.
              </Trans>
            }
          />
        )}
      />
      {isFolded ? (
        <Fold title={<Trans>More about you (optional)</Trans>} mustOpen={hasMoreErrors}>
          <div className={styles.form}>{more}</div>
        </Fold>
      ) : (
        more
      )}
    </>
  );
}

interface ChipsControllerProps {
  readonly control: Control<ProfileValues>;
  readonly name: 'interests' | 'likes' | 'dislikes';
  readonly label: string;
  readonly placeholder: string;
  readonly hint?: string;
}

function ChipsController({ control, name, label, placeholder, hint }: ChipsControllerProps) {
  return (
    <Controller
      control={control}
      name={name}
      render={({ field, fieldState }) => (
        <ChipsField
          label={label}
          placeholder={placeholder}
          hint={hint}
          chips={field.value}
          onChange={field.onChange}
          error={fieldState.error?.message}
        />
      )}
    />
  );
}
