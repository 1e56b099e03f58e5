/** Whether shortcuts use ⌘ instead of Ctrl. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
