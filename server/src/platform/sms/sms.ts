/** The one way out for messages. A provider gets a number and a text, and keeps neither for us. */
export interface SmsProvider {
  readonly name: string;
  send(message: SmsMessage): Promise<void>;
}

export interface SmsMessage {
  /** E.164. Lives in memory only, from the request to the provider. */
  readonly to: string;
  readonly code: string;
  readonly text: string;
}
