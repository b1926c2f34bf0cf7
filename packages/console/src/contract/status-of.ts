/** The status and, where it says more, how the resource ended: `completed, approved`. */
export function statusOf({ status, result }: { status?: string | undefined; result?: string | undefined }) {
  return status === undefined || result === undefined || result === status ? status : `${status}, ${result}`
}
