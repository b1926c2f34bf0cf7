/** Cap of a dry run's count, per kind. */
export const maxPurgeCounted = 10_000
