/** The client of the service. */
export interface Api {
  getPriorAuthorization(id: string, options?: { signal?: AbortSignal }): Promise<unknown>
}
