import { cleanup } from '@testing-library/react';
import { afterEach } from 'vitest';
import './lib/zod-config.ts';
import { activateEnglish } from './locales/i18n.ts';

activateEnglish();

afterEach(cleanup);
