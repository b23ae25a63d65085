declare module '*.svg?path' {
  const path: string;
  export default path;
}

declare module '*.po' {
  export const messages: import('@lingui/core').Messages;
}
