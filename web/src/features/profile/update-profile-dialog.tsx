import type { SelfUser } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useId, useState, type ReactNode } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import { errorText } from '../../lib/error-text.ts';
import { createSessionMap } from '../../lib/store.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button, ButtonRow } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { FieldError } from '../../ui/field.tsx';
import { SwitchRow } from '../../ui/switch-row.tsx';
import { toast } from '../../ui/toast.tsx';
import { ProfileFields } from './profile-fields.tsx';
import {
  dialogDetails,
  showSaveError,
  useProfileGuard,
  validateDetails,
  valuesOf,
  type ProfileValues,
} from './profile-form.ts';
import { useRegenerateAvatar, useSaveProfile } from './profile.api.ts';
import another from '@material-symbols/svg-400/rounded/autorenew.svg?path';
import styles from './profile.module.css';

/** Unsaved edits, by account. In memory of this tab only. */
export const profileDrafts = createSessionMap<ProfileValues>();

interface UpdateProfileDialogProps {
  readonly self: SelfUser;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Shown below the switch for comments; from the vents feature. */
  readonly closeComments: ReactNode;
}

export function UpdateProfileDialog({ self, isOpen, onClose, closeComments }: UpdateProfileDialogProps) {
  const { t } = useLingui();
  const formId = useId();
  const save = useSaveProfile();
  const [isChanged, setIsChanged] = useState(false);
  const discard = () => {
    profileDrafts.set(self._id, undefined);
    onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      hasUnsentWords={isChanged}
      title={t`Update Profile`}
      footer={
        <ButtonRow>
          <Button variant="quiet" onClick={discard} disabled={save.isPending}>
            {isChanged ? <Trans>Discard changes</Trans> : <Trans>Cancel</Trans>}
          </Button>
          <Button type="submit" form={formId} isBusy={save.isPending}>{t`Save`}</Button>
        </ButtonRow>
      }
    >
      <UpdateProfileForm
        self={self}
        formId={formId}
        save={save}
        onChanged={setIsChanged}
        onSaved={discard}
        closeComments={closeComments}
      />
    </Dialog>
  );
}

interface UpdateProfileFormProps extends Pick<UpdateProfileDialogProps, 'self' | 'closeComments'> {
  readonly formId: string;
  readonly save: ReturnType<typeof useSaveProfile>;
  readonly onChanged: (isChanged: boolean) => void;
  readonly onSaved: () => void;
}

/**
 * Mounted only while the dialog is open, so that it starts with the current profile and the edits that were left
 * unsaved.
 */
function UpdateProfileForm({
  self,
  formId,
  save,
  onChanged,
  onSaved,
  closeComments,
}: UpdateProfileFormProps) {
  const { t } = useLingui();
  const regenerate = useRegenerateAvatar();
  const [before] = useState(self);
  const [left] = useState(() => profileDrafts.get(self._id));
  const { control, handleSubmit, setError, setValue, formState } = useForm<ProfileValues>({
    defaultValues: left ?? valuesOf(self),
  });
  // Every field has a default value, so none is missing.
  const values = useWatch({ control }) as ProfileValues;
  const { username } = values;
  const isChanged = JSON.stringify(values) !== JSON.stringify(valuesOf(before));
  useEffect(() => {
    profileDrafts.set(self._id, isChanged ? values : undefined);
    onChanged(isChanged);
  }, [self._id, isChanged, values, onChanged]);
  // Compared with the initial values, so that a retry after a failure asks the same.
  const isPictureOffered =
    before.username !== null &&
    username !== '' &&
    username !== before.username &&
    self.profilePic === before.profilePic;

  const submit = (isSure: boolean) =>
    handleSubmit(async (values) => {
      const details = { ...dialogDetails(values, before.feelings), isSure };
      if (!validateDetails(details, setError) || !check(values, isSure)) return;
      const wantsNewPicture = isPictureOffered && values.newPicture;
      try {
        await save.mutateAsync({ self, username: values.username, details, wantsNewPicture });
        toast(t`Profile updated.`);
        onSaved();
      } catch (error) {
        if (!(await showRefusal(error, values))) showSaveError(error, setError);
      }
    });
  const { identity, check, showRefusal } = useProfileGuard({
    control,
    setValue,
    save: (isSure) => void submit(isSure)(),
  });

  return (
    <form id={formId} className={styles.form} noValidate onSubmit={(event) => void submit(false)(event)}>
      <div className={styles.picture}>
        <Avatar src={self.profilePic} size={72} />
        <div>
          <Button
            variant="outlined"
            icon={another}
            isBusy={regenerate.isPending}
            onClick={() => regenerate.mutate()}
          >
            <Trans>Another picture</Trans>
          </Button>
          {regenerate.isError && (
            <FieldError>{errorText(regenerate.error, t`Profile update failed`)}</FieldError>
          )}
        </div>
      </div>
      <ProfileFields
        control={control}
        canSuggestName={self.username === null}
        identity={identity}
        belowName={
          isPictureOffered && (
            <Controller
              control={control}
              name="newPicture"
              render={({ field }) => (
                <SwitchRow
                  label={t`New name, new picture?`}
                  hint={t`People could recognise you by the old picture.`}
                  isOn={field.value}
                  onChange={field.onChange}
                />
              )}
            />
          )
        }
      />
      <Controller
        control={control}
        name="anonymousChat"
        render={({ field }) => (
          <SwitchRow
            label={t`Anonymous chat`}
            hint={t`Chat isn't ready yet. We'll show it here when it is.`}
            isOn={field.value}
            onChange={field.onChange}
          />
        )}
      />
      <Controller
        control={control}
        name="allowComments"
        render={({ field }) => (
          <SwitchRow
            label={t`Allow comments`}
            hint={t`For new vents. The ones you've posted stay as they are.`}
            isOn={field.value}
            onChange={field.onChange}
          />
        )}
      />
      <div>{closeComments}</div>
      {formState.errors.root?.message && <ErrorCard>{formState.errors.root.message}</ErrorCard>}
    </form>
  );
}
