/** URL protocols by database; apart from the dialects, so that checking a setting loads no driver. */
export const protocolsOf = {
  postgres: ['postgres:', 'postgresql:'],
  mysql: ['mysql:', 'mariadb:'],
} as const satisfies Record<string, readonly string[]>
