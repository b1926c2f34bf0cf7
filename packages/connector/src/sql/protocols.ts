/** The protocols of addresses, by the database that they are of: apart from the dialects, so that no driver is loaded to check a setting. */
export const protocolsOf = {
  postgres: ['postgres:', 'postgresql:'],
  mysql: ['mysql:', 'mariadb:'],
} as const satisfies Record<string, readonly string[]>
