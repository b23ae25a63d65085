import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';
import { activateEnglish } from './locales/i18n.ts';

activateEnglish();

// `findBy` and `waitFor` on a machine that stalls.
configure({ asyncUtilTimeout: 60_000 });

afterEach(cleanup);
