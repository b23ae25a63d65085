import type { PrivacyPart } from '../../kernel/privacy-registry.ts';

/** Nothing here is about a person. */
export function listeningPrivacy(): PrivacyPart {
  return {
    feature: 'listening',
    tables: ['content.heard_weeks'],
    erases: 'words',
    export: async () => 'Only how soon the vents of everyone were answered, by week.',
    erase: async () => {},
  };
}
