"""The time zone the user is in, by name. It can change while Steward runs: it is asked for every time."""

from assistant.policies.when.zones import zone_exists


def local_zone() -> str:
    """IANA name; "UTC" where the system names none. Reads files (TZ, /etc/localtime), so it runs in a thread."""
    import warnings

    import tzlocal
    from tzlocal import reload_localzone

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # tzlocal warns where TZ and the system disagree; TZ counts
            reload_localzone()
            name = tzlocal.get_localzone_name()
    except (OSError, ValueError, LookupError):
        return "UTC"
    return name if name and zone_exists(name) else "UTC"
