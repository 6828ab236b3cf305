"""Real towns' public files, imported and followed end to end."""
