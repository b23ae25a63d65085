import { CodeStep, SentTo } from './code-step.tsx';
import { confirmIdentity } from './auth.api.ts';
import { PhoneStep } from './phone-step.tsx';
import { useCodeFlow } from './use-code-flow.ts';
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
