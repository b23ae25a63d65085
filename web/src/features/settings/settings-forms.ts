import type { ComponentType } from 'react';

interface ReauthFormProps {
  readonly onConfirmed: () => Promise<void>;
  /** If set, the code does not submit itself: one of these two buttons is pressed. */
  readonly finalChoice?: {
    readonly confirmLabel: string;
    readonly cancelLabel: string;
    readonly onCancel: () => void;
  };
}

/** Forms of the auth feature, which the router hands in: features do not import each other. */
export interface SettingsForms {
  /** Reauthentication form, from the auth feature. */
  readonly ReauthForm: ComponentType<ReauthFormProps>;
  /** Form for a new number and its code, from the auth feature. */
  readonly NewNumberForm: ComponentType<{
    readonly onCode: (phone: string, otp: string) => Promise<void>;
  }>;
}
