/** Whether the other message says of some resource what this one says of its own. */
export function saysSame(
  { resourceId, errorMessage }: { resourceId: string; errorMessage: string },
  other: string,
): boolean {
  const parts = errorMessage.split(resourceId).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('\\S+')}$`, 's').test(other)
}
