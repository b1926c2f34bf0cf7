/** Code in one language that verifies the `X-Webhook-Secret` of a delivery. */
export interface VerificationCode {
  language: string
  /** Package to install; absent where the standard library is enough. */
  library?: string
  code: string
}

/**
 * Each sample accepts HS256 and no other algorithm, under the webhook's secret as UTF-8 bytes (specification, Authentication 6).
 * The claims are not documented, so issuer and audience are not asked for; `exp`, `nbf` and `body_sha256` count where they are.
 */
export const verificationCode: readonly VerificationCode[] = [
  {
    language: 'TypeScript',
    library: 'npm install jose',
    code: String.raw`import { createHash } from 'node:crypto'
import { jwtVerify } from 'jose'

/** Whether the X-Webhook-Secret header proves the sender of these bytes. */
export async function verifyWebhook(header: string | undefined, body: Uint8Array, secret: string): Promise<boolean> {
  try {
    const key = new TextEncoder().encode(secret)
    const { payload } = await jwtVerify(header ?? '', key, { algorithms: ['HS256'], clockTolerance: 30 })
    const digest = createHash('sha256').update(body).digest('hex')
    return payload.body_sha256 === undefined || payload.body_sha256 === digest
  } catch {
    return false
  }
}`,
  },
  {
    language: 'Python',
    code: String.raw`import base64, hashlib, hmac, json, math, time

LEEWAY = 30  # seconds


def decode(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def verify_webhook(header, body, secret):
    """Whether the X-Webhook-Secret header proves the sender of these bytes."""
    try:
        head, claims, signature = header.split(".")
        parameters = json.loads(decode(head))
        if parameters.get("alg") != "HS256" or "crit" in parameters:
            return False
        expected = hmac.new(secret.encode(), f"{head}.{claims}".encode(), hashlib.sha256).digest()
        if not hmac.compare_digest(expected, decode(signature)):
            return False
        payload = json.loads(decode(claims))
        now = time.time()
        if now >= payload.get("exp", math.inf) + LEEWAY or now < payload.get("nbf", 0) - LEEWAY:
            return False
        return payload.get("body_sha256") in (None, hashlib.sha256(body).hexdigest())
    except (ValueError, TypeError, AttributeError):
        return False`,
  },
  {
    language: 'Java',
    library: 'com.auth0:java-jwt',
    code: String.raw`import com.auth0.jwt.JWT;
import com.auth0.jwt.algorithms.Algorithm;
import com.auth0.jwt.exceptions.JWTVerificationException;
import com.auth0.jwt.interfaces.DecodedJWT;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

final class WebhookVerifier {
  /** Whether the X-Webhook-Secret header proves the sender of these bytes. */
  static boolean verify(String header, byte[] body, String secret) throws NoSuchAlgorithmException {
    if (header == null) return false;
    try {
      Algorithm hs256 = Algorithm.HMAC256(secret.getBytes(StandardCharsets.UTF_8));
      DecodedJWT token = JWT.require(hs256).acceptLeeway(30).build().verify(header);
      String stated = token.getClaim("body_sha256").asString();
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(body);
      return token.getClaim("body_sha256").isMissing() || HexFormat.of().formatHex(digest).equals(stated);
    } catch (JWTVerificationException refused) {
      return false;
    }
  }
}`,
  },
  {
    language: 'C#',
    library: 'dotnet add package Microsoft.IdentityModel.JsonWebTokens',
    code: String.raw`using System.Security.Cryptography;
using System.Text;
using Microsoft.IdentityModel.JsonWebTokens;
using Microsoft.IdentityModel.Tokens;

static class WebhookVerifier
{
    /// <summary>Whether the X-Webhook-Secret header proves the sender of these bytes. The library asks for a secret of 32 bytes or more.</summary>
    public static async Task<bool> Verify(string? header, byte[] body, string secret)
    {
        var result = await new JsonWebTokenHandler().ValidateTokenAsync(header, new TokenValidationParameters
        {
            IssuerSigningKey = new SymmetricSecurityKey(Encoding.UTF8.GetBytes(secret)),
            ValidAlgorithms = ["HS256"],
            ValidateIssuer = false,
            ValidateAudience = false,
            RequireExpirationTime = false,
            ClockSkew = TimeSpan.FromSeconds(30),
        });
        if (!result.IsValid) return false;
        if (!result.Claims.TryGetValue("body_sha256", out var stated)) return true;
        return Convert.ToHexString(SHA256.HashData(body)).Equals(stated as string, StringComparison.OrdinalIgnoreCase);
    }
}`,
  },
  {
    language: 'Go',
    library: 'go get github.com/golang-jwt/jwt/v5',
    code: String.raw`package webhook

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Verify tells whether the X-Webhook-Secret header proves the sender of these bytes.
func Verify(header string, body []byte, secret string) bool {
	claims := jwt.MapClaims{}
	key := func(*jwt.Token) (any, error) { return []byte(secret), nil }
	_, err := jwt.ParseWithClaims(header, claims, key,
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithLeeway(30*time.Second))
	if err != nil {
		return false
	}
	digest := sha256.Sum256(body)
	stated, isThere := claims["body_sha256"]
	return !isThere || stated == hex.EncodeToString(digest[:])
}`,
  },
  {
    language: 'PHP',
    library: 'composer require firebase/php-jwt',
    code: String.raw`<?php

use Firebase\JWT\JWT;
use Firebase\JWT\Key;

/** Whether the X-Webhook-Secret header proves the sender of these bytes. The library asks for a secret of 32 bytes or more. */
function verifyWebhook(?string $header, string $body, string $secret): bool
{
    try {
        JWT::$leeway = 30;
        $claims = JWT::decode($header ?? '', new Key($secret, 'HS256'));
    } catch (\Throwable $refused) {
        return false;
    }
    return !isset($claims->body_sha256) || $claims->body_sha256 === hash('sha256', $body);
}`,
  },
]
