import { confirmIdentity } from './auth.api.ts';
import { CodeStep, SentTo } from './code-step.tsx';
import { PhoneStep } from './phone-step.tsx';
import { useCodeFlow, type CodeFlow } from './use-code-flow.ts';
import styles from './auth.module.css';

/** Proves with a fresh code that this is still the same person, then hands over to whoever asked. */
export function ReauthForm({ onConfirmed }: { readonly onConfirmed: () => Promise<void> }) {
  const flow = useCodeFlow({
    flow: 'login',
    purpose: 'reauth',
    verify: async (phone, otp) => {
      await confirmIdentity(phone, otp);
      await onConfirmed();
    },
  });
  return <Steps flow={flow} />;
}

interface NewNumberFormProps {
  /** Gets the number and the code that was sent to it. */
  readonly onCode: (phone: string, otp: string) => Promise<void>;
}

/** Asks for a number that is to become one's own, and for the code sent to it. */
export function NewNumberForm({ onCode }: NewNumberFormProps) {
  const flow = useCodeFlow({ flow: 'login', purpose: 'change', verify: onCode });
  return <Steps flow={flow} />;
}

function Steps({ flow }: { readonly flow: CodeFlow }) {
  return (
    <div className={styles.inDialog}>
      {flow.step === 'phone' ? (
        <PhoneStep flow={flow} />
      ) : (
        <>
          <p className={styles.intro}>
            <SentTo phone={flow.phone} />
          </p>
          <CodeStep flow={flow} />
        </>
      )}
    </div>
  );
}
