import { Trans } from '@lingui/react/macro';
import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import { useCurrentUser } from '../../lib/current-user.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { ProfileFields } from './profile-fields.tsx';
import {
  showSaveError,
  signupDetails,
  useProfileGuard,
  validateDetails,
  valuesOf,
  type ProfileValues,
} from './profile-form.ts';
import { useSaveProfile } from './profile.api.ts';
import { startWelcome } from './welcome-state.ts';
import styles from './profile.module.css';

const blank: ProfileValues = {
  username: '',
  bio: '',
  interests: [],
  likes: [],
  dislikes: [],
  feelings: [],
  matchPreference: '',
  anonymousChat: true,
  allowComments: true,
  newPicture: false,
};

/** The third step of sign-up. */
export function ProfileSetup({ onDone }: { readonly onDone: () => void }) {
  const { data: self } = useCurrentUser();
  const save = useSaveProfile();
  const accountId = self?._id;
  useEffect(() => {
    if (accountId !== undefined) startWelcome(accountId);
  }, [accountId]);
  const { control, handleSubmit, setError, setValue, formState } = useForm<ProfileValues>({
    defaultValues: self ? valuesOf(self) : blank,
  });

  const submit = (isSure: boolean) =>
    handleSubmit(async (values) => {
      const details = { ...signupDetails(values), isSure };
      if (!self || !validateDetails(details, setError) || !check(values, isSure)) return;
      try {
        await save.mutateAsync({ self, username: values.username, details });
        onDone();
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
    <form className={styles.form} noValidate onSubmit={(event) => void submit(false)(event)}>
      <ProfileFields control={control} canSuggestName isFolded identity={identity} />
      {formState.errors.root?.message && <ErrorCard>{formState.errors.root.message}</ErrorCard>}
      {/* In view from the start, whatever is open above. */}
      <div className={styles.foot}>
        <Button variant="quiet" onClick={onDone} disabled={save.isPending}>
          <Trans>Skip</Trans>
        </Button>
        <Button type="submit" isBusy={save.isPending}>
          <Trans>Complete Profile</Trans>
        </Button>
      </div>
    </form>
  );
}
