/** Whether the quick exit (boot.js) is under way: the next page may take seconds to load. */
export const isLeaving = () => 'left' in document.documentElement.dataset;
