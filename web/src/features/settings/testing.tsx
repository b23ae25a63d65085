import { useState } from 'react';

/** Replaces the reauthentication form in component tests. */
export function Confirmed({ onConfirmed }: { readonly onConfirmed: () => Promise<void> }) {
  const [refusal, setRefusal] = useState('');
  return (
    <>
      <button
        type="button"
        onClick={() => void onConfirmed().catch((error: Error) => setRefusal(error.message))}
      >
        Code is right
      </button>
      {refusal !== '' && <p>refused: {refusal}</p>}
    </>
  );
}
