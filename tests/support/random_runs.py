"""How hypothesis draws examples that each cost a row of dbt runs."""

from hypothesis import HealthCheck, Phase, settings


def random_runs(examples: int) -> settings:
    """So many examples, the same ones each time; smaller ones are not looked for."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
