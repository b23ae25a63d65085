/** Playwright disables these. Chromium takes the last such flag alone, so the list is repeated. */
const disabledByPlaywright = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];
/** Two hidden pages of the address bar in every window. They take half of the CPU time of a short journey. */
const hiddenPages = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];

/** Debian's Chromium without its windows: the same engine, and a journey takes a sixth less time. */
export const chromiumLaunch = {
  executablePath: '/usr/bin/chromium-headless-shell',
  // No requests of its own.
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--font-render-hinting=none',
    `--disable-features=${[...disabledByPlaywright, ...hiddenPages].join(',')}`,
  ],
};

/** With windows and menus, for what the engine alone cannot do, such as installing the application. */
export const wholeChromiumLaunch = { ...chromiumLaunch, executablePath: '/usr/bin/chromium' };
