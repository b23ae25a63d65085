import { confirmIdentity } from './auth.api.ts';
import type { FinalChoice } from './code-step.tsx';
import { LazyCodeStep } from './lazy-code-steps.ts';
import { PhoneStep } from './phone-step.tsx';
import { useDialogCodeFlow, type CodeFlow } from './use-code-flow.ts';
import styles from './auth.module.css';

interface ReauthFormProps {
  readonly onConfirmed: () => Promise<void>;
  readonly finalChoice?: FinalChoice;
}

/** Reauthentication: confirms the identity with a fresh code, then calls `onConfirmed`. */
export function ReauthForm({ onConfirmed, finalChoice }: ReauthFormProps) {
  const flow = useDialogCodeFlow({
    flow: 'login',
    purpose: 'reauth',
    verify: async (phone, otp) => {
      await confirmIdentity(phone, otp);
      await onConfirmed();
    },
  });
  return <Steps flow={flow} finalChoice={finalChoice} />;
}

interface NewNumberFormProps {
  /** Receives the number and the code sent to it. */
  readonly onCode: (phone: string, otp: string) => Promise<void>;
}

/** Asks for a new number and the code sent to it. */
export function NewNumberForm({ onCode }: NewNumberFormProps) {
  const flow = useDialogCodeFlow({ flow: 'login', purpose: 'change', verify: onCode });
  return <Steps flow={flow} />;
}

interface StepsProps {
  readonly flow: CodeFlow;
  readonly finalChoice?: FinalChoice | undefined;
}

function Steps({ flow, finalChoice }: StepsProps) {
  return (
    <div className={styles.inDialog}>
      {flow.step === 'phone' ? (
        <PhoneStep flow={flow} />
      ) : (
        <LazyCodeStep flow={flow} finalChoice={finalChoice} />
      )}
    </div>
  );
}
