{% macro head_version(declared, newest) %}
    {#-
        The version whose state is the current one, given the number of the newest. What the ledger says
        of a version stays, so of what staging has read the snapshot need not ask again.
    -#}
    {% if not newest %}
        {% do return(none) %}
    {% endif %}
    {% set staging = staging_node(declared) %}
    {% if staging.get("head", {}).get("of") != newest %}
        {% do staging.update({"head": {"of": newest, "version": head_of(declared, read_version(declared, newest))}}) %}
    {% endif %}
    {% do return(staging.head.version) %}
{% endmacro %}
