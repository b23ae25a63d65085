import { createStore } from './store.ts';

/** Code that is loaded when it is first needed. It outlives a session: it holds nothing of a person. */
export function createLazyModule<M>(importModule: () => Promise<M>) {
  const { get, set, useValue } = createStore<{ readonly module?: M; readonly isLoading: boolean }>({
    isLoading: false,
  });
  let loading: Promise<void> | undefined;
  const start = async () => {
    set({ isLoading: true });
    try {
      set({ module: await importModule(), isLoading: false });
    } catch {
      set({ isLoading: false });
      loading = undefined;
    }
  };
  return {
    get,
    useValue,
    /** Does nothing once loaded. After a failure, the next call tries again. */
    load: (): Promise<void> => (loading ??= start()),
  };
}
